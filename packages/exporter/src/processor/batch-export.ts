/**
 * @module Batch export: sends one batch of the queue through the gate, or writes it to the disk,
 * or counts it as lost under a code. Each item is counted exactly once, also when a shutdown
 * abandons the batch in flight.
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
import type { ItemClass, SpanCounts } from "./span-counts.ts";

/** Dependencies of a batch. */
export interface BatchExportOptions<S> {
  readonly exporter: SpanExporterLike<S>;
  readonly gate: Gate;
  readonly spanCounts: SpanCounts;
  readonly producerId: string;
  readonly exportTimeoutMs: number;
  readonly spool: SpoolJournal | undefined;
  readonly writeThrough: boolean;
}

/** Number of items of each class that a batch has not accounted for yet. */
type BatchCounts = Record<ItemClass, number>;

const itemClasses: readonly ItemClass[] = ["evidence", "structure", "markers"];
const producerId = attribute.producer_id.span;
const producerSeq = attribute.producer_seq.span;

/** Spans of one frame when a shutdown writes the complete queue to the disk. */
const rescueBatch = 512;

/** Exports one batch at a time. */
export class BatchExport<S> {
  private readonly options: BatchExportOptions<S>;
  /** The exporter, when it takes bytes and they need not go to the disk first. */
  private readonly direct: RequestExporter<S> | undefined;
  private readonly requests = new RequestWriter();
  private readonly spool: DiskSpool | undefined;
  private readonly writeThrough: boolean;
  /** The batch in flight, until its outcome is known or abandoned. */
  private flight: BatchCounts | undefined;
  /** The items of that batch, for a shutdown that cannot wait for their answer. */
  private flying: readonly QueueItem[] = [];
  /** The write of that batch to the disk. */
  private storing: Promise<void> | undefined;
  /** The batch that a shutdown took over. */
  private rescued: BatchCounts | undefined;
  /** True since an export failed, until one from the disk arrives: batches go to the disk. */
  private away = false;
  /** True while ended spans go to the disk first, within the spool window. */
  get diskFirst(): boolean {
    return this.writeThrough || this.away;
  }

  /** True since the exporter failed or timed out, until it succeeds. */
  private failed = false;

  constructor(options: BatchExportOptions<S>) {
    this.options = options;
    const { exporter, spanCounts, spool } = options;
    this.writeThrough = options.writeThrough && spool !== undefined;
    this.direct = takesRequests(exporter) && !this.writeThrough ? exporter : undefined;
    if (spool === undefined) return;
    this.spool = new DiskSpool({
      journal: spool,
      send: async (spans) => {
        const result = await this.send(spans);
        this.away = result === "failed" || result === "late";
        return result;
      },
      onDelivered: (count) => spanCounts.delivered(count),
      onRefused: (count) => spanCounts.refused(count, "export_refused"),
    });
  }

  /** True where unsent spans are written to a disk. */
  get spools(): boolean {
    return this.spool !== undefined;
  }

  /** True since the exporter failed or timed out, until it succeeds. */
  get failing(): boolean {
    const { exporter } = this.options;
    return this.failed || (takesRequests(exporter) && exporter.retrying === true);
  }

  /** Records the exporter's last result. */
  answered(result: CallResult): void {
    this.failed = result === "failed" || result === "late";
  }

  /** Sends a batch; settles when each of its items is accounted for, and never rejects. */
  async export(items: readonly QueueItem[]): Promise<void> {
    const counts = countsOf(items);
    this.flight = counts;
    this.flying = items;
    this.storing = undefined;
    await settleResources(items, this.options.exportTimeoutMs);
    if (this.flight !== counts) return;
    // While the exporter does not answer, another attempt would only fill the queue.
    if (this.away || this.direct === undefined) await this.exportSpans(items, counts);
    else await this.exportBytes(items, counts, this.direct);
  }

  /**
   * Writes queued items and the batch in flight to the disk, where there is one: a shutdown cannot
   * wait for an answer. Items that are not durable in time are lost.
   */
  async rescue(waiting: readonly QueueItem[], timeoutMs: number): Promise<void> {
    const { spool, flight, flying } = this;
    if (spool === undefined) return this.giveUp(waiting);
    const deadline = Date.now() + timeoutMs;
    if (flight !== undefined) {
      this.rescued = flight;
      const storing = this.storing ?? this.store(flying, flight, spool);
      await within(storing, deadline - Date.now());
    }
    this.abandon("shutdown_deadline");
    for (let at = 0; at < waiting.length; at += rescueBatch) {
      const items = waiting.slice(at, at + rescueBatch);
      const counts = countsOf(items);
      this.flight = counts;
      await within(this.store(items, counts, spool), deadline - Date.now());
      this.abandon("shutdown_deadline");
    }
  }

  /** Screens the items and makes them durable; accounts for them when they are. */
  private async store(
    items: readonly QueueItem[],
    counts: BatchCounts,
    spool: DiskSpool,
  ): Promise<void> {
    const spans = items.flatMap((item) => this.screenedAgain(item));
    await spool.append(spans, counts.evidence, () => this.spooled(counts));
  }

  /** Counts the batch in flight as lost; its later outcome is not counted again. */
  private abandon(code: Code): void {
    const counts = this.flight;
    if (counts === undefined) return;
    this.failed = true;
    this.lost(counts, code);
  }

  /** Sends what is on the disk. */
  async drain(): Promise<void> {
    if (this.writeThrough || this.sendable) await this.spool?.drain();
  }

  /** True while there is something on the disk and the exporter does not fail. */
  get sendable(): boolean {
    return !this.failing && this.spool?.sendable === true;
  }

  /** Spans that an earlier process left on the disk. */
  get inherited(): number {
    return this.spool?.inherited ?? 0;
  }

  private giveUp(waiting: readonly QueueItem[]): void {
    for (const { kind } of waiting) this.options.spanCounts.dropped(kind, 1, "shutdown_deadline");
    this.abandon("shutdown_deadline");
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
    const held = this.writeThrough || this.away || spans.length === 0;
    const result = held ? "failed" : await this.send(spans);
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
      const { producerId: id } = this.options;
      const whole = gate.write(item.span, this.requests, { producerId: id, seq: item.seq });
      if (!whole) this.refused(item, counts);
      return whole;
    });
    const request = this.requests.finish();
    if (request.length === 0) return this.exported(counts);
    const result = this.judged(await sendRequest(exporter, request, exportTimeoutMs));
    if (result === "done") return this.exported(counts);
    const again =
      this.spool === undefined ? [] : passed.flatMap((item) => this.screenedAgain(item));
    await this.keep(again, counts, result);
  }

  private screenedAgain(item: QueueItem): ReadableSpanLike[] {
    const screened = this.options.gate.screenAgain(item.span);
    return screened === undefined ? [] : [this.numbered(screened, item)];
  }

  /** Removes an item that the gate cannot screen from the batch. */
  private refused(item: QueueItem, counts: BatchCounts): void {
    counts[item.kind]--;
    this.options.spanCounts.dropped(item.kind, 1, "span_unmapped");
    diag.warn("turnproof: span_unmapped");
  }

  /**
   * Exported spans name their producer, so that each can be accounted for in a window; evidence
   * has its sequence number too. The attributes of a screened span are the gate's own copy.
   */
  private numbered(screened: ReadableSpanLike, { seq }: QueueItem): ReadableSpanLike {
    screened.attributes[producerId] = this.options.producerId;
    if (seq > 0) screened.attributes[producerSeq] = seq;
    return screened;
  }

  /** True for the first caller, which accounts for the batch; a shutdown may have been first. */
  private takes(counts: BatchCounts): boolean {
    if (this.flight !== counts) return false;
    this.flight = undefined;
    // Kept until the next batch, the spans would survive a collection or two.
    this.flying = [];
    return true;
  }

  private exported(counts: BatchCounts): void {
    if (!this.takes(counts)) return;
    for (const kind of itemClasses) this.options.spanCounts.exported(kind, counts[kind]);
  }

  private lost(counts: BatchCounts, code: Code): void {
    if (!this.takes(counts)) return;
    for (const kind of itemClasses) this.options.spanCounts.dropped(kind, counts[kind], code);
  }

  /** To the disk where there is one; what cannot be written is lost. */
  private async keep(
    spans: readonly ReadableSpanLike[],
    counts: BatchCounts,
    result: CallResult,
  ): Promise<void> {
    const { spool } = this;
    if (this.rescued === counts) return;
    if (spool === undefined || spans.length === 0) return this.lost(counts, codeOf(result));
    // When a batch is refused, resending from the disk isolates the refused span.
    this.away ||= !this.writeThrough && result !== "refused";
    try {
      this.storing = spool.append(spans, counts.evidence, () => this.spooled(counts));
      await this.storing;
    } catch {
      // A disk that refuses is no alternative: the next batch goes to the exporter again.
      this.away = false;
      diag.warn("turnproof: journal_failed");
      return this.lost(counts, codeOf(result));
    }
  }

  /** The batch is durable; false when it was accounted for already. */
  private spooled(counts: BatchCounts): boolean {
    if (!this.takes(counts)) return false;
    for (const kind of itemClasses) this.options.spanCounts.spooled(kind, counts[kind]);
    return true;
  }

  private async send(spans: readonly ReadableSpanLike[]): Promise<CallResult> {
    const { exporter, exportTimeoutMs } = this.options;
    return this.judged(await callExporter(exporter, spans, exportTimeoutMs));
  }

  /** Counts a failure. */
  private judged(result: CallResult): CallResult {
    this.answered(result);
    if (result !== "done") {
      this.options.spanCounts.failed();
      diag.warn(`turnproof: ${codeOf(result)}`);
    }
    return result;
  }
}

function countsOf(items: readonly QueueItem[]): BatchCounts {
  const counts: BatchCounts = { evidence: 0, structure: 0, markers: 0 };
  for (const item of items) counts[item.kind]++;
  return counts;
}

function codeOf(result: CallResult): Code {
  if (result === "refused") return "export_refused";
  return result === "late" ? "export_timeout" : "export_failed";
}

/** Waits for resources whose attributes are not settled yet. */
async function settleResources(items: readonly QueueItem[], timeoutMs: number): Promise<void> {
  const pending = new Set<ResourceLike>();
  for (const { span } of items) {
    if (span.resource.asyncAttributesPending === true) pending.add(span.resource);
  }
  if (pending.size === 0) return;
  const waits = [...pending].map(async (resource) => resource.waitForAsyncAttributes?.());
  await within(Promise.all(waits), timeoutMs, false);
}
