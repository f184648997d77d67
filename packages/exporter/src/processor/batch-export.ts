/**
 * @module Batch export: one batch of the queue through the gate and out, or to the disk, or lost
 * under a code. Each item it was given is counted exactly once, also when a shutdown gives the
 * batch up while it is on its way.
 */
import { diag } from "@opentelemetry/api";
import { attribute } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { Gate } from "../gate/gate.ts";
import type { ReadableSpanLike, ResourceLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import { DiskSpool } from "../spool/disk-spool.ts";
import type { SpoolJournal } from "../spool/disk-spool.ts";
import { RequestWriter, takesRequests } from "../wire/trace-request.ts";
import type { RequestExporter } from "../wire/trace-request.ts";
import type { QueueItem } from "./export-queue.ts";
import { callExporter, sendRequest, within } from "./exporter-call.ts";
import type { CallResult } from "./exporter-call.ts";
import type { ItemClass, LossLedger } from "./loss-ledger.ts";

/** What a batch needs around it. */
export interface BatchExportOptions<S> {
  readonly exporter: SpanExporterLike<S>;
  readonly gate: Gate;
  readonly ledger: LossLedger;
  readonly producerId: string;
  readonly exportTimeoutMs: number;
  readonly spool: SpoolJournal | undefined;
  readonly writeThrough: boolean;
}

/** How many items of each class a batch still has to account for. */
type BatchCounts = Record<ItemClass, number>;

const itemClasses: readonly ItemClass[] = ["evidence", "structure", "markers"];
const producerId = attribute.producer_id.span;
const producerSeq = attribute.producer_seq.span;

/** Exports one batch at a time. */
export class BatchExport<S> {
  private readonly options: BatchExportOptions<S>;
  /** The exporter, when it takes bytes and they need not go to the disk first. */
  private readonly direct: RequestExporter<S> | undefined;
  private readonly requests = new RequestWriter();
  private readonly spool: DiskSpool | undefined;
  private readonly writeThrough: boolean;
  /** The batch on its way, until its outcome is known or no longer waited for. */
  private flight: BatchCounts | undefined;

  constructor(options: BatchExportOptions<S>) {
    this.options = options;
    const { exporter, ledger, spool } = options;
    this.writeThrough = options.writeThrough && spool !== undefined;
    this.direct = takesRequests(exporter) && !this.writeThrough ? exporter : undefined;
    if (spool === undefined) return;
    this.spool = new DiskSpool({
      journal: spool,
      send: async (spans) => (await this.send(spans)) === "done",
      onDelivered: (count) => ledger.delivered(count),
    });
  }

  /** Sends a batch; settles when each of its items is accounted for, and never rejects. */
  async export(items: readonly QueueItem[]): Promise<void> {
    const counts: BatchCounts = { evidence: 0, structure: 0, markers: 0 };
    for (const item of items) counts[item.kind]++;
    this.flight = counts;
    await settleResources(items, this.options.exportTimeoutMs);
    if (this.flight !== counts) return;
    if (this.direct === undefined) await this.exportSpans(items, counts);
    else await this.exportBytes(items, counts, this.direct);
  }

  /** Counts what is on its way as lost; whatever becomes of it is not counted again. */
  abandon(code: Code): void {
    const counts = this.flight;
    if (counts !== undefined) this.lost(counts, code);
  }

  /** Sends what lies on the disk. */
  async drain(): Promise<void> {
    if (this.writeThrough) await this.spool?.drain();
  }

  /** Stops sending from the disk. */
  async close(): Promise<void> {
    await this.spool?.close();
  }

  private async exportSpans(items: readonly QueueItem[], counts: BatchCounts): Promise<void> {
    const { gate } = this.options;
    const spans = items.flatMap((item) => {
      const screened = gate.screen(item.span);
      if (screened !== undefined) return [this.numbered(screened, item)];
      this.refused(item, counts);
      return [];
    });
    const result = this.writeThrough || spans.length === 0 ? "failed" : await this.send(spans);
    if (result === "done") this.exported(counts);
    else await this.keep(spans, counts, result);
  }

  /** The same for an exporter that takes bytes; spans become objects only for the disk. */
  private async exportBytes(
    items: readonly QueueItem[],
    counts: BatchCounts,
    exporter: RequestExporter<S>,
  ): Promise<void> {
    const { gate, exportTimeoutMs } = this.options;
    const passed = items.filter((item) => {
      const { seq } = item;
      const numbering = seq > 0 ? { producerId: this.options.producerId, seq } : undefined;
      const whole = gate.write(item.span, this.requests, numbering);
      if (!whole) this.refused(item, counts);
      return whole;
    });
    const request = this.requests.finish();
    if (request.length === 0) return this.exported(counts);
    const result = this.judged(await sendRequest(exporter, request, exportTimeoutMs));
    if (result === "done") return this.exported(counts);
    const again = (item: QueueItem): ReadableSpanLike[] => {
      const screened = gate.screenAgain(item.span);
      return screened === undefined ? [] : [this.numbered(screened, item)];
    };
    await this.keep(this.spool === undefined ? [] : passed.flatMap(again), counts, result);
  }

  /** An item that the gate cannot screen leaves the batch. */
  private refused(item: QueueItem, counts: BatchCounts): void {
    counts[item.kind]--;
    this.options.ledger.dropped(item.kind, 1, "span_unmapped");
    diag.warn("turnproof: span_unmapped");
  }

  /** The attributes of a screened span are the gate's own copy. */
  private numbered(screened: ReadableSpanLike, { seq }: QueueItem): ReadableSpanLike {
    if (seq > 0) {
      screened.attributes[producerId] = this.options.producerId;
      screened.attributes[producerSeq] = seq;
    }
    return screened;
  }

  /** True for the one who settles the batch; a shutdown may have been before. */
  private takes(counts: BatchCounts): boolean {
    if (this.flight !== counts) return false;
    this.flight = undefined;
    return true;
  }

  private exported(counts: BatchCounts): void {
    if (!this.takes(counts)) return;
    for (const kind of itemClasses) this.options.ledger.exported(kind, counts[kind]);
  }

  private lost(counts: BatchCounts, code: Code): void {
    if (!this.takes(counts)) return;
    for (const kind of itemClasses) this.options.ledger.dropped(kind, counts[kind], code);
  }

  /** To the disk where there is one; what does not get there is lost. */
  private async keep(
    spans: readonly ReadableSpanLike[],
    counts: BatchCounts,
    result: CallResult,
  ): Promise<void> {
    const { spool } = this;
    if (spool === undefined || spans.length === 0) return this.lost(counts, codeOf(result));
    try {
      await spool.append(spans, counts.evidence, () => {
        if (!this.takes(counts)) return false;
        for (const kind of itemClasses) this.options.ledger.spooled(kind, counts[kind]);
        return true;
      });
    } catch {
      diag.warn("turnproof: journal_failed");
      return this.lost(counts, codeOf(result));
    }
    if (this.writeThrough) void spool.drain();
  }

  private async send(spans: readonly ReadableSpanLike[]): Promise<CallResult> {
    const { exporter, exportTimeoutMs } = this.options;
    return this.judged(await callExporter(exporter, spans, exportTimeoutMs));
  }

  /** Counts a failure. */
  private judged(result: CallResult): CallResult {
    if (result !== "done") {
      this.options.ledger.failed();
      diag.warn(`turnproof: ${codeOf(result)}`);
    }
    return result;
  }
}

function codeOf(result: CallResult): Code {
  return result === "late" ? "export_timeout" : "export_failed";
}

/** Waits for resources whose attributes are still being found out. */
async function settleResources(items: readonly QueueItem[], timeoutMs: number): Promise<void> {
  const pending = new Set<ResourceLike>();
  for (const { span } of items) {
    if (span.resource.asyncAttributesPending === true) pending.add(span.resource);
  }
  if (pending.size === 0) return;
  const waits = [...pending].map(async (resource) => resource.waitForAsyncAttributes?.());
  await within(Promise.all(waits), timeoutMs);
}
