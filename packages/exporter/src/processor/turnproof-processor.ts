/**
 * @module Turnproof processor: our span processor for either SDK line. Everything that leaves goes
 * through the gate; evidence is numbered at its end, before any queue can drop it; spans that stay
 * open get a start marker; what was lost is counted to the unit and reported (design 6.4). It never
 * throws into its host and never keeps a process alive that nobody asked it to.
 */
import { diag } from "@opentelemetry/api";
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
import { ExportPump } from "./export-pump.ts";
import { QueueItem } from "./export-queue.ts";
import { callExporter, within } from "./exporter-call.ts";
import { LossLedger } from "./loss-ledger.ts";
import type { ExportHealth, ItemClass } from "./loss-ledger.ts";
import { heartbeat, lossReport, randomHex, startMarker } from "./own-spans.ts";
import { SpanWatch } from "./span-watch.ts";
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
  /** How long a flush may take, and while the exporter fails; default 10,000 ms and 2,000 ms. */
  readonly flushDeadlineMs?: number;
  readonly failingDeadlineMs?: number;
  /** How long a shutdown may take, everything in it; default 2,000 ms. */
  readonly shutdownDeadlineMs?: number;
  /**
   * Age at which an open span gets its start marker; `false`: none. Default: 100 ms for turns and
   * actions, which leave at once, and `delayMs` for calls.
   */
  readonly markerDelayMs?: number | false;
  /** Time between two heartbeats while evidence spans are open; default 30,000 ms. */
  readonly heartbeatEveryMs?: number;
  /** Time between two reports of losses while something changes; default 60,000 ms. */
  readonly reportEveryMs?: number;
  /** A journal on the disk for what cannot be delivered; closed by whoever opened it. */
  readonly spool?: SpoolJournal;
  /** True: every batch goes to the disk first and is sent from there. */
  readonly writeThrough?: boolean;
  /**
   * How long an ended span may be in memory alone where the disk is next: with `writeThrough`, and
   * while the exporter fails. Default 100 ms; what a SIGKILL loses is this and the disk's time.
   */
  readonly spoolWindowMs?: number;
}

const marked: ReadonlySet<EventKind> = new Set(markedKinds);
const settingDefaults = {
  queueMax: 8_192,
  batchMax: 512,
  delayMs: 1_000,
  spoolWindowMs: 100,
  exportTimeoutMs: 10_000,
  flushDeadlineMs: 10_000,
  failingDeadlineMs: 2_000,
  shutdownDeadlineMs: 2_000,
  heartbeatEveryMs: 30_000,
  reportEveryMs: 60_000,
} as const;

/** Age of an open turn at which its marker leaves; one that ends sooner needs none. */
const promptMarkerMs = 100;

/** How long a disk may take for what a shutdown could not deliver. */
const rescueMsMax = 5_000;

/** What a shutdown leaves at least for the report and for the exporter's own end. */
const lastWordsMs = 300;

type Settings = { readonly [K in keyof typeof settingDefaults]: number };

function settingsOf(options: Partial<Settings>): Settings {
  const settings: { -readonly [K in keyof Settings]: number } = { ...settingDefaults };
  for (const name of Object.keys(settingDefaults) as (keyof Settings)[]) {
    settings[name] = options[name] ?? settingDefaults[name];
  }
  return settings;
}

/** A span processor with gate, queue, markers and loss accounting. */
export class TurnproofProcessor<S = never> {
  /** Identity of this producer for as long as the process lives. */
  readonly producerId: string = randomHex(16);
  private readonly exporter: SpanExporterLike<S>;
  private readonly settings: Settings;
  private readonly marks: boolean;
  private readonly gate: Gate;
  private readonly ledger = new LossLedger();
  private readonly pump: ExportPump;
  private readonly batches: BatchExport<S>;
  private readonly watch: SpanWatch;
  private reporting: ReturnType<typeof setTimeout> | undefined;
  private resource: ResourceLike = { attributes: {} };
  /** When something last came here, or this was made, in epoch milliseconds. */
  workedAt: number = Date.now();
  private reportedRevision = 0;
  private reportedAt = Date.now();
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
      ledger: this.ledger,
      producerId: this.producerId,
      exportTimeoutMs: settings.exportTimeoutMs,
      spool: options.spool === undefined ? undefined : untracedJournal(options.spool),
      writeThrough: options.writeThrough === true,
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
    return this.ledger.health(this.batches.inherited);
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

  /**
   * Nothing waits and nothing is on its way, also of what an earlier process left on the disk, as
   * far as the exporter takes it; or it was shut down.
   */
  get idle(): boolean {
    return this.ending !== undefined || (this.pump.idle && !this.batches.sendable);
  }

  /** Remembers a span that may stay open for long. */
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
   * Sends what waits now, with markers of what is open, within the deadline; what is left then
   * goes on waiting. Rejects only where a strict exporter of ours does, with its code.
   */
  async forceFlush(): Promise<void> {
    const { flushDeadlineMs, failingDeadlineMs } = this.settings;
    const refused = await untraced(() => this.flush(flushDeadlineMs, failingDeadlineMs));
    // A strict exporter of ours tells the host; any other exporter's failure is counted already.
    if (CodedError.is(refused)) throw refused;
  }

  /**
   * For a process that has nothing left to do and may yet go on: sends what waits, and puts what
   * is left on the disk where there is one. Never rejects.
   */
  async settle(deadlineMs: number): Promise<void> {
    await untraced(() => this.flush(deadlineMs, deadlineMs));
    if (this.batches.spools) await this.rescue();
  }

  /**
   * Flushes once more; what is left then goes to the disk where there is a spool, and is counted
   * as lost where there is none. Reports, unless the exporter just failed, and ends it. Never
   * rejects.
   */
  shutdown(): Promise<void> {
    return (this.ending ??= untraced(() => this.end()));
  }

  private async end(): Promise<void> {
    const { shutdownDeadlineMs } = this.settings;
    const deadline = Date.now() + shutdownDeadlineMs;
    const sending = Math.max(shutdownDeadlineMs - lastWordsMs, shutdownDeadlineMs / 2);
    // A host that is told here could do nothing about it any more; the counters say it.
    await this.flush(sending, sending);
    this.watch.stop();
    clearTimeout(this.reporting);
    await this.rescue();
    const left = (): number => Math.max(lastWordsMs / 2, deadline - Date.now());
    // An exporter that just failed would only fail once more.
    if (!this.batches.failing) await within(this.report(left()), left());
    await within(this.batches.close(), 1_000);
    await within(asked(this.exporter, "shutdown"), left());
  }

  private async rescue(): Promise<void> {
    await this.batches.rescue(this.pump.takeAll(), rescueMsMax);
  }

  private enqueue(span: ReadableSpanLike, kind: ItemClass): void {
    const seq = this.ledger.create(kind);
    this.workedAt = Date.now();
    if (this.ending !== undefined) return this.ledger.dropped(kind, 1, "shutdown_deadline");
    if (!this.pump.push(new QueueItem(span, kind, seq))) this.lose(kind, "queue_full");
    this.reportLater();
  }

  private lose(kind: ItemClass, code: Code): void {
    this.ledger.dropped(kind, 1, code);
    diag.warn(`turnproof: ${code}`);
  }

  /** Puts a marker into the queue for each of these spans; a turn's leaves at once. */
  private mark(spans: readonly ReadableSpanLike[], prompt: boolean): void {
    for (const span of spans) this.say(startMarker(span));
    if (prompt) this.pump.hasten();
  }

  private beat(open: number): void {
    this.say(heartbeat(open, this.producerId, this.resource));
    this.pump.hasten();
  }

  /** Puts a span of our own into the queue. */
  private say(span: ReadableSpanLike): void {
    this.ledger.create("markers");
    if (!this.pump.push(new QueueItem(span, "markers", 0))) {
      this.ledger.dropped("markers", 1, "queue_full");
    }
  }

  /** Answers what the exporter's own flush rejected with. */
  private async flush(deadlineMs: number, failingMs: number): Promise<unknown> {
    const deadline = Date.now() + deadlineMs;
    const { failures } = this.ledger;
    this.watch.markAll();
    const sent = this.pump.flush().then(() => this.sendSpooled(failingMs));
    // An exporter that refuses connections may do so for as long as it likes, and nobody waits.
    let done = await within(sent, Math.min(deadlineMs, failingMs));
    if (!done && !this.batches.failing) done = await within(sent, deadline - Date.now());
    // What failed a moment ago is not asked to hear of it.
    if (done && failures === this.ledger.failures && this.ending === undefined) {
      const left = Math.min(deadline - Date.now(), this.batches.failing ? failingMs : deadlineMs);
      await within(this.report(left), left);
    }
    let refused: unknown;
    const flushed = asked(this.exporter, "forceFlush").catch((error: unknown) => {
      refused = error;
    });
    const left = deadline - Date.now();
    await within(flushed, this.batches.failing ? Math.min(left, lastWordsMs) : left);
    return refused;
  }

  /** What an earlier process left may be more than a flush of this one can wait for. */
  private async sendSpooled(inheritedMs: number): Promise<void> {
    const draining = this.batches.drain();
    if (this.batches.inherited === 0) return draining;
    await within(draining, inheritedMs);
  }

  /** Reports a while after something changed, once. */
  private reportLater(): void {
    if (this.reporting !== undefined) return;
    const { reportEveryMs, delayMs } = this.settings;
    const inMs = Math.max(2 * delayMs, this.reportedAt + reportEveryMs - Date.now());
    this.reporting = untraced(() =>
      setTimeout(() => {
        this.reporting = undefined;
        void this.report(this.settings.exportTimeoutMs);
      }, inMs),
    );
    this.reporting.unref?.();
  }

  /**
   * Says what was lost so far, when that is news. The report itself is not counted. Never rejects.
   */
  private async report(timeoutMs: number): Promise<void> {
    const { revision } = this.ledger;
    if (revision === this.reportedRevision || timeoutMs <= 0) return;
    this.reportedAt = Date.now();
    const span = lossReport(this.health, this.producerId, this.resource);
    const screened = this.gate.screen(span);
    if (screened === undefined) return;
    const limit = Math.min(timeoutMs, this.settings.exportTimeoutMs);
    const result = await callExporter(this.exporter, [screened], limit);
    this.batches.answered(result);
    if (result === "done") this.reportedRevision = revision;
  }
}

/** Calls what an exporter may leave out, and may throw from. */
async function asked<S>(
  exporter: SpanExporterLike<S>,
  what: "forceFlush" | "shutdown",
): Promise<void> {
  await exporter[what]?.();
}

/** Makes the processor; give it to a provider's `spanProcessors` and add nothing else. */
export function turnproofProcessor<S>(
  options: TurnproofProcessorOptions<S>,
): TurnproofProcessor<S> {
  return new TurnproofProcessor(options);
}
