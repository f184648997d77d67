/**
 * @module Turnproof processor: our span processor for either SDK line. Everything that leaves goes
 * through the gate; evidence is numbered at its end, before any queue can drop it; spans that stay
 * open get a start marker; what was lost is counted to the unit and reported (design 6.4).
 */
import { diag } from "@opentelemetry/api";
import type { HrTime } from "@opentelemetry/api";
import { CodedError, markedKinds } from "@turnproof/semconv";
import type { Code, EventKind } from "@turnproof/semconv";

import { createGate } from "../gate/gate.ts";
import type { Gate, GateCounts, GateOptions } from "../gate/gate.ts";
import { decisionOf } from "../gate/screened-span.ts";
import type { ReadableSpanLike, ResourceLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { SpoolJournal } from "../spool/disk-spool.ts";
import { BatchExport } from "./batch-export.ts";
import { evidenceSampler } from "./evidence-sampler.ts";
import type { EvidenceSamplerOptions, SamplerLike } from "./evidence-sampler.ts";
import { ExportQueue } from "./export-queue.ts";
import { callExporter, within } from "./exporter-call.ts";
import { LossLedger } from "./loss-ledger.ts";
import type { ExportHealth, ItemClass } from "./loss-ledger.ts";
import { OpenSpans } from "./open-spans.ts";
import { lossReport, randomHex, startMarker } from "./own-spans.ts";
import { untraced, untracedExporter, untracedJournal } from "./untraced.ts";

/** Options of the processor. */
export interface TurnproofProcessorOptions<S = never> extends GateOptions {
  /** Where spans go; it is given screened spans only. */
  readonly exporter: SpanExporterLike<S>;
  /** Spans that wait at most, evidence and the rest each; default 8,192. */
  readonly queueMax?: number;
  /** Spans per export; default 512. */
  readonly batchMax?: number;
  /** How long a span waits for company; default 1,000 ms. */
  readonly delayMs?: number;
  /** How long one export may take; default 10,000 ms. */
  readonly exportTimeoutMs?: number;
  /** How long a flush and a shutdown may take; default 30,000 ms and 5,000 ms. */
  readonly flushDeadlineMs?: number;
  readonly shutdownDeadlineMs?: number;
  /** Age at which an open span gets its start marker; default `delayMs`; `false`: none. */
  readonly markerDelayMs?: number | false;
  /** Time between two reports of losses while something changes; default 60,000 ms. */
  readonly reportEveryMs?: number;
  /** A journal on the disk for what cannot be delivered; closed by whoever opened it. */
  readonly spool?: SpoolJournal;
  /** True: every batch goes to the disk first and is sent from there. */
  readonly writeThrough?: boolean;
}

const marked: ReadonlySet<EventKind> = new Set(markedKinds);
const settingDefaults = {
  queueMax: 8_192,
  batchMax: 512,
  delayMs: 1_000,
  exportTimeoutMs: 10_000,
  flushDeadlineMs: 30_000,
  shutdownDeadlineMs: 5_000,
  reportEveryMs: 60_000,
} as const;

/** How long a disk may take for what a shutdown could not deliver. */
const rescueMsMax = 5_000;

type Settings = { readonly [K in keyof typeof settingDefaults]: number };

/** A span processor with gate, queue, markers and loss accounting. */
export class TurnproofProcessor<S = never> {
  /** Identity of this producer for as long as the process lives. */
  readonly producerId: string = randomHex(16);
  private readonly exporter: SpanExporterLike<S>;
  private readonly settings: Settings;
  private readonly markerDelayMs: number | false;
  private readonly gate: Gate;
  private readonly ledger = new LossLedger();
  private readonly queue: ExportQueue;
  private readonly batches: BatchExport<S>;
  private readonly open: OpenSpans;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pumping: Promise<void> | undefined;
  private emptying = false;
  private resource: ResourceLike = { attributes: {} };
  private reportedRevision = 0;
  private reportedAt = Date.now();
  private ended = false;

  constructor(options: TurnproofProcessorOptions<S>) {
    const settings = { ...settingDefaults };
    for (const name of Object.keys(settingDefaults) as (keyof Settings)[]) {
      Object.assign(settings, { [name]: options[name] ?? settingDefaults[name] });
    }
    this.settings = settings;
    this.exporter = untracedExporter(options.exporter);
    this.markerDelayMs = options.markerDelayMs ?? settings.delayMs;
    this.gate = createGate(options);
    this.queue = new ExportQueue(settings.queueMax);
    this.open = new OpenSpans(settings.queueMax);
    this.batches = new BatchExport({
      exporter: this.exporter,
      gate: this.gate,
      ledger: this.ledger,
      producerId: this.producerId,
      exportTimeoutMs: settings.exportTimeoutMs,
      spool: options.spool === undefined ? undefined : untracedJournal(options.spool),
      writeThrough: options.writeThrough === true,
    });
  }

  /** The counters now; `created = exported + spooled + queued + dropped`. */
  get health(): ExportHealth {
    return this.ledger.health();
  }

  /** What the gate held back, by code. */
  get dropped(): GateCounts {
    return this.gate.dropped;
  }

  /** Wraps the app's sampler so that evidence is recorded, and counts here what is not. */
  sampler(inner: SamplerLike, options: EvidenceSamplerOptions = {}): SamplerLike {
    return evidenceSampler(inner, {
      ...options,
      onSampledOut: (kind) => {
        this.ledger.sampled();
        options.onSampledOut?.(kind);
      },
    });
  }

  /** Remembers a span that may stay open for long. */
  onStart(span: ReadableSpanLike): void {
    this.resource = span.resource;
    if (this.markerDelayMs === false || this.ended) return;
    if (!marked.has(decisionOf(span).kind)) return;
    this.open.add(span, Date.now());
    this.schedule();
  }

  /** Numbers evidence and puts the span into the queue. */
  onEnd(span: ReadableSpanLike): void {
    const evidence = decisionOf(span).kind !== "span";
    if (!evidence && (span.spanContext().traceFlags & 1) === 0) return;
    this.enqueue(span, evidence ? "evidence" : "structure");
  }

  /**
   * Sends everything that waits, with markers of what is open, within the deadline. Rejects only
   * where a strict exporter of ours does, with its code.
   */
  async forceFlush(): Promise<void> {
    await this.flush(this.settings.flushDeadlineMs);
  }

  /**
   * Flushes once more; what is left then goes to the disk where there is a spool, and is counted
   * as lost where there is none. Reports, and ends the exporter.
   */
  async shutdown(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    const deadline = Date.now() + this.settings.shutdownDeadlineMs;
    // A host that is told here could do nothing about it any more; the counters say it.
    await within(this.flush(this.settings.shutdownDeadlineMs), this.settings.shutdownDeadlineMs);
    clearTimeout(this.timer);
    await this.batches.rescue(this.queue.take(Number.MAX_SAFE_INTEGER), rescueMsMax);
    await this.report(Math.max(500, deadline - Date.now()));
    await within(this.batches.close(), 1_000);
    await within(this.exporter.shutdown(), Math.max(500, deadline - Date.now()));
  }

  private enqueue(span: ReadableSpanLike, kind: ItemClass): void {
    const seq = this.ledger.create(kind);
    if (this.ended) return this.ledger.dropped(kind, 1, "shutdown_deadline");
    if (!this.queue.push({ span, kind, seq })) return this.lose(kind, "queue_full");
    if (this.queue.length >= this.settings.batchMax) void this.pump(false);
    else this.schedule();
  }

  private lose(kind: ItemClass, code: Code): void {
    this.ledger.dropped(kind, 1, code);
    diag.warn(`turnproof: ${code}`);
  }

  private schedule(): void {
    if (this.timer !== undefined || this.ended) return;
    // A timer holds the context in which it was made.
    this.timer = untraced(() =>
      setTimeout(() => {
        this.timer = undefined;
        void this.tick();
      }, this.settings.delayMs),
    );
    this.timer.unref?.();
  }

  private async tick(): Promise<void> {
    if (this.markerDelayMs !== false) this.mark(Date.now() - this.markerDelayMs);
    await this.pump(true);
    if (Date.now() - this.reportedAt >= this.settings.reportEveryMs) {
      await this.report(this.settings.exportTimeoutMs);
    }
    if (this.open.size > 0 || this.queue.length > 0) this.schedule();
  }

  /** Puts a marker into the queue for each span that opened before this time. */
  private mark(before: number): void {
    for (const span of this.open.take(before)) {
      this.ledger.create("markers");
      if (!this.queue.push({ span: startMarker(span), kind: "markers", seq: 0 })) {
        this.ledger.dropped("markers", 1, "queue_full");
      }
    }
  }

  /** Exports batch after batch, one at a time; `all`: also the last one that is not full. */
  private pump(all: boolean): Promise<void> {
    this.emptying ||= all;
    this.pumping ??= this.exportAll().finally(() => {
      this.pumping = undefined;
      this.emptying = false;
    });
    return this.pumping;
  }

  private async exportAll(): Promise<void> {
    while (this.queue.length >= (this.emptying ? 1 : this.settings.batchMax)) {
      await this.batches.export(this.queue.take(this.settings.batchMax));
    }
  }

  private async flush(deadlineMs: number): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    if (this.markerDelayMs !== false) this.mark(Date.now());
    await within(this.empty(), deadlineMs);
    if (!this.ended) await this.report(deadline - Date.now());
    let refused: unknown;
    const flushed = (this.exporter.forceFlush?.() ?? Promise.resolve()).catch((error: unknown) => {
      refused = error;
    });
    await within(flushed, deadline - Date.now());
    // A strict exporter of ours tells the host; any other exporter's failure is counted already.
    if (CodedError.is(refused)) throw refused;
  }

  private async empty(): Promise<void> {
    do await this.pump(true);
    while (this.queue.length > 0);
    await this.batches.drain();
  }

  /** Says what was lost so far, when that is news. The report itself is not counted. */
  private async report(timeoutMs: number): Promise<void> {
    const { revision } = this.ledger;
    if (revision === this.reportedRevision || timeoutMs <= 0) return;
    this.reportedAt = Date.now();
    const span = lossReport(this.health, this.producerId, this.resource, hrNow());
    const screened = this.gate.screen(span);
    if (screened === undefined) return;
    const limit = Math.min(timeoutMs, this.settings.exportTimeoutMs);
    const result = await callExporter(this.exporter, [screened], limit);
    if (result === "done") this.reportedRevision = revision;
  }
}

function hrNow(): HrTime {
  const now = Date.now();
  return [Math.floor(now / 1_000), (now % 1_000) * 1_000_000];
}

/** Makes the processor; give it to a provider's `spanProcessors` and add nothing else. */
export function turnproofProcessor<S>(
  options: TurnproofProcessorOptions<S>,
): TurnproofProcessor<S> {
  return new TurnproofProcessor(options);
}
