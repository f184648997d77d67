/**
 * @module Turnproof processor: our span processor for either SDK line. Every exported span passes
 * the gate; evidence is numbered when it ends, before any queue can drop it; open spans get a
 * start marker; losses are counted to the unit and reported (evidence: Loss accounting). It never
 * throws into its host and never keeps a process alive by itself.
 */
import { diag } from "@opentelemetry/api";
import { CodedError, markedKinds } from "@turnproof/semconv";
import type { Code, EventKind } from "@turnproof/semconv";

import { createGate } from "../gate/gate.ts";
import type { Gate, GateCounts } from "../gate/gate.ts";
import { decisionOf } from "../gate/screened-span.ts";
import type { ReadableSpanLike, ResourceLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import { BatchExport } from "./batch-export.ts";
import { evidenceSampler } from "./evidence-sampler.ts";
import type { EvidenceSamplerOptions, SamplerLike } from "./evidence-sampler.ts";
import { ExportPump } from "./export-pump.ts";
import { QueueItem } from "./export-queue.ts";
import { callExporter, within } from "./exporter-call.ts";
import { SpanCounts } from "./span-counts.ts";
import type { ExportHealth, ItemClass } from "./span-counts.ts";
import { LossReports } from "./loss-reports.ts";
import { heartbeat, randomHex, startMarker } from "./own-spans.ts";
import { SpanWatch } from "./span-watch.ts";
import { untraced, untracedExporter, untracedJournal } from "./untraced.ts";
import { settingsOf } from "./processor-settings.ts";
import type { Settings, TurnproofProcessorOptions } from "./processor-settings.ts";

const marked: ReadonlySet<EventKind> = new Set(markedKinds);

/** Age of an open turn at which its marker is sent; one that ends sooner needs none. */
const promptMarkerMs = 100;

/** Longest write to the disk of what a shutdown could not deliver. */
const rescueMsMax = 5_000;

/** Time that a shutdown reserves for the report and for the exporter's own shutdown. */
const lastWordsMs = 300;

/** A span processor with gate, queue, markers and loss accounting. */
export class TurnproofProcessor<S = never> {
  /** Identity of this producer for the life of the process. */
  readonly producerId: string = randomHex(16);
  private readonly exporter: SpanExporterLike<S>;
  private readonly settings: Settings;
  private readonly marks: boolean;
  private readonly gate: Gate;
  private readonly spanCounts = new SpanCounts();
  private readonly pump: ExportPump;
  private readonly batches: BatchExport<S>;
  private readonly watch: SpanWatch;
  private readonly losses: LossReports;
  private resource: ResourceLike = { attributes: {} };
  /** When the last span arrived, or this was created, in epoch milliseconds. */
  workedAt: number = Date.now();
  private ending: Promise<void> | undefined;

  constructor(options: TurnproofProcessorOptions<S>) {
    const settings = settingsOf(options);
    this.settings = settings;
    this.exporter = untracedExporter(options.exporter);
    this.marks = options.markerDelayMs !== false;
    this.gate = createGate(options);
    this.batches = new BatchExport({
      exporter: this.exporter,
      gate: this.gate,
      spanCounts: this.spanCounts,
      producerId: this.producerId,
      exportTimeoutMs: settings.exportTimeoutMs,
      spool: options.spool === undefined ? undefined : untracedJournal(options.spool),
      writeThrough: options.writeThrough === true,
    });
    this.losses = new LossReports({
      send: (span, timeoutMs) => this.sendReport(span, timeoutMs),
      revision: () => this.spanCounts.revision,
      health: () => this.health,
      resource: () => this.resource,
      producerId: this.producerId,
      // A failed export may be of spans of an earlier process that were on the disk.
      inherits: this.batches.inherited > 0,
      settings,
    });
    const { queueMax, batchMax, delayMs, spoolWindowMs } = settings;
    const window = Math.min(delayMs, spoolWindowMs);
    const exportBatch = this.batches.export.bind(this.batches);
    this.pump = new ExportPump({
      queueMax,
      batchMax,
      delayMs: () => (this.batches.diskFirst ? window : delayMs),
      exportBatch,
    });
    const patientMs = options.markerDelayMs || delayMs;
    this.watch = new SpanWatch({
      promptMs: options.markerDelayMs || Math.min(promptMarkerMs, delayMs),
      patientMs,
      heartbeatEveryMs: settings.heartbeatEveryMs,
      max: queueMax,
      mark: (spans, prompt) => this.mark(spans, prompt),
      beat: (open) => this.beat(open),
    });
  }

  /** The counters now; `created = exported + spooled + queued + dropped`. */
  get health(): ExportHealth {
    return this.spanCounts.health(this.batches.inherited);
  }

  /** What the gate refused, by code. */
  get dropped(): GateCounts {
    return this.gate.dropped;
  }

  /** Wraps the application's sampler so that evidence is recorded, and counts what is dropped. */
  sampler(inner: SamplerLike, options: EvidenceSamplerOptions = {}): SamplerLike {
    return evidenceSampler(inner, {
      ...options,
      onSampledOut: (kind) => {
        this.spanCounts.sampled();
        options.onSampledOut?.(kind);
      },
    });
  }

  /**
   * True when nothing is queued or in flight, including what an earlier process left on the disk,
   * if the exporter accepts it; or after shutdown.
   */
  get idle(): boolean {
    return this.ending !== undefined || (this.pump.idle && !this.batches.sendable);
  }

  /** Watches a span that may stay open for long. */
  onStart(span: ReadableSpanLike): void {
    try {
      this.resource = span.resource;
      if (!this.marks || this.ending !== undefined) return;
      const { kind } = decisionOf(span);
      if (marked.has(kind)) this.watch.add(span, kind);
    } catch {
      diag.warn("turnproof: span_unmapped");
    }
  }

  /** Numbers evidence and puts the span into the queue. */
  onEnd(span: ReadableSpanLike): void {
    try {
      const evidence = decisionOf(span).kind !== "span";
      if (!evidence && (span.spanContext().traceFlags & 1) === 0) return;
      this.enqueue(span, evidence ? "evidence" : "structure");
    } catch {
      diag.warn("turnproof: span_unmapped");
    }
  }

  /**
   * Sends what is queued, with markers of open spans, within the deadline; what remains stays
   * queued. Rejects only with a strict exporter of ours, with its code.
   */
  async forceFlush(): Promise<void> {
    const { flushDeadlineMs, failingDeadlineMs } = this.settings;
    const refused = await untraced(() => this.flush(flushDeadlineMs, failingDeadlineMs));
    // A strict exporter of ours reports to the host; any other exporter's failure is counted
    // already.
    if (CodedError.is(refused)) throw refused;
  }

  /**
   * For an idle process that may still continue: sends what is queued, and writes the rest to the
   * disk where there is one. Never rejects.
   */
  async settle(deadlineMs: number): Promise<void> {
    await untraced(() => this.flush(deadlineMs, deadlineMs));
    if (this.batches.spools) await this.rescue();
  }

  /**
   * Flushes once more; what remains goes to the spool, or is counted as lost without one. Reports,
   * unless the exporter just failed, and shuts the exporter down. Never rejects.
   */
  shutdown(): Promise<void> {
    return (this.ending ??= untraced(() => this.end()));
  }

  private async end(): Promise<void> {
    const { shutdownDeadlineMs } = this.settings;
    const deadline = Date.now() + shutdownDeadlineMs;
    const sending = Math.max(shutdownDeadlineMs - lastWordsMs, shutdownDeadlineMs / 2);
    // The host could not react to a failure here any more; the counters have it.
    await this.flush(sending, sending);
    this.watch.stop();
    this.losses.stop();
    await this.rescue();
    const left = (): number => Math.max(lastWordsMs / 2, deadline - Date.now());
    // An exporter that just failed would fail again.
    if (!this.batches.failing) await within(this.losses.report(left()), left());
    await within(this.batches.close(), 1_000);
    await within(requested(this.exporter, "shutdown"), left());
  }

  private async rescue(): Promise<void> {
    await this.batches.rescue(this.pump.takeAll(), rescueMsMax);
  }

  private enqueue(span: ReadableSpanLike, kind: ItemClass): void {
    const seq = this.spanCounts.create(kind);
    if (kind === "evidence") {
      const [seconds, nanoseconds] = span.startTime;
      this.losses.concern(seconds * 1_000 + nanoseconds / 1_000_000);
    }
    this.workedAt = Date.now();
    if (this.ending !== undefined) return this.spanCounts.dropped(kind, 1, "shutdown_deadline");
    if (!this.pump.push(new QueueItem(span, kind, seq))) this.lose(kind, "queue_full");
    this.losses.reportLater();
  }

  private lose(kind: ItemClass, code: Code): void {
    this.spanCounts.dropped(kind, 1, code);
    diag.warn(`turnproof: ${code}`);
  }

  /** Queues a marker for each of these spans; a turn's is sent at once. */
  private mark(spans: readonly ReadableSpanLike[], prompt: boolean): void {
    for (const span of spans) this.print(startMarker(span));
    if (prompt) this.pump.hasten();
  }

  private beat(open: number): void {
    this.print(heartbeat(open, this.producerId, this.resource));
    this.pump.hasten();
  }

  /** Puts a span of our own into the queue. */
  private print(span: ReadableSpanLike): void {
    this.spanCounts.create("markers");
    if (!this.pump.push(new QueueItem(span, "markers", 0))) {
      this.spanCounts.dropped("markers", 1, "queue_full");
    }
  }

  /** Returns the error with which the exporter's own flush rejected, if any. */
  private async flush(deadlineMs: number, failingMs: number): Promise<unknown> {
    const deadline = Date.now() + deadlineMs;
    const { failures } = this.spanCounts;
    this.watch.markAll();
    const sent = this.pump.flush().then(() => this.sendSpooled(failingMs));
    // An exporter may stay unreachable for any time, so the wait is bounded.
    let done = await within(sent, Math.min(deadlineMs, failingMs));
    if (!done && !this.batches.failing) done = await within(sent, deadline - Date.now());
    // After a failure a moment ago, its flush is not called.
    if (done && failures === this.spanCounts.failures && this.ending === undefined) {
      const left = Math.min(deadline - Date.now(), this.batches.failing ? failingMs : deadlineMs);
      await within(this.losses.report(left), left);
    }
    let refused: unknown;
    const flushed = requested(this.exporter, "forceFlush").catch((error: unknown) => {
      refused = error;
    });
    const left = deadline - Date.now();
    await within(flushed, this.batches.failing ? Math.min(left, lastWordsMs) : left);
    return refused;
  }

  /** The spans of an earlier process may take longer than a flush can wait. */
  private async sendSpooled(inheritedMs: number): Promise<void> {
    const draining = this.batches.drain();
    if (this.batches.inherited === 0) return draining;
    await within(draining, inheritedMs);
  }

  /** Sends a report past the queue and the counters; true where the exporter took it. */
  private async sendReport(span: ReadableSpanLike, timeoutMs: number): Promise<boolean> {
    const screened = this.gate.screen(span);
    if (screened === undefined) return false;
    const result = await callExporter(this.exporter, [screened], timeoutMs);
    this.batches.answered(result);
    return result === "done";
  }
}

/** Calls an optional exporter method, which may throw. */
async function requested<S>(
  exporter: SpanExporterLike<S>,
  what: "forceFlush" | "shutdown",
): Promise<void> {
  await exporter[what]?.();
}

/** Creates the processor; put it into a provider's `spanProcessors` and add nothing else. */
export function turnproofProcessor<S>(
  options: TurnproofProcessorOptions<S>,
): TurnproofProcessor<S> {
  return new TurnproofProcessor(options);
}
