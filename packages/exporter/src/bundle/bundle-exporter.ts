/**
 * @module Bundle exporter: writes finished spans of this process into an evidence store, through
 * the gate and the mapping. requirements: Events and storage rules; vocabulary: Envelopes.
 */
import { diag } from "@opentelemetry/api";
import type { EvidenceBatch, TurnEvent } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import { createGate } from "../gate/gate.ts";
import type { Gate, GateCounts, GateOptions } from "../gate/gate.ts";
import { exportDone, exportFailed } from "../gate/sdk-shapes.ts";
import type { ExportAnswer, ReadableSpanLike } from "../gate/sdk-shapes.ts";
import { spanRecordOf } from "../gate/span-record-of.ts";
import { spanToEvent } from "../mapping/span-to-event.ts";
import { batchOf, microsecondsNow, writeBatch } from "./evidence-write.ts";
import type { EvidenceTaker } from "./evidence-write.ts";

/** Options of the bundle exporter. */
export interface BundleExporterOptions extends GateOptions {
  /** Any store that accepts evidence; only `append` is used. */
  readonly store: EvidenceTaker;
  /** True: `forceFlush` and `shutdown` reject with `write_failed` once a write has failed. */
  readonly strict?: boolean;
  /** Attempts at a write with a retryable error; default 3. */
  readonly attemptsMax?: number;
  /** Time of receipt, ISO 8601 UTC with microseconds; default the clock of this process. */
  readonly now?: () => string;
}

/** Counters of this exporter (requirements: Events and storage rules). */
export interface BundleExporterHealth {
  readonly written: number;
  readonly write_failures: number;
}

/** A span exporter that writes evidence into a store. */
export class BundleExporter {
  private readonly options: BundleExporterOptions;
  private readonly gate: Gate;
  private readonly pending = new Set<Promise<void>>();
  private written = 0;
  private failures = 0;
  private failure: CodedError | undefined;

  constructor(options: BundleExporterOptions) {
    this.options = options;
    this.gate = createGate(options);
  }

  get health(): BundleExporterHealth {
    return { written: this.written, write_failures: this.failures };
  }

  /** What the gate refused, by code. */
  get dropped(): GateCounts {
    return this.gate.dropped;
  }

  /** Writes the spans as one batch; calls back when the store has stored or refused them. */
  export(spans: ReadableSpanLike[], done: (answer: ExportAnswer) => void): void {
    const work = this.answer(this.batchOf(spans), done);
    this.pending.add(work);
    void work.finally(() => this.pending.delete(work));
  }

  private async answer(batch: EvidenceBatch, done: (answer: ExportAnswer) => void): Promise<void> {
    done(await this.write(batch));
  }

  async forceFlush(): Promise<void> {
    await Promise.allSettled(this.pending);
    const { failure } = this;
    if (this.options.strict !== true || failure === undefined) return;
    this.failure = undefined;
    throw failure;
  }

  /** The store stays open: its opener closes it. */
  async shutdown(): Promise<void> {
    await this.forceFlush();
  }

  private batchOf(spans: readonly ReadableSpanLike[]): EvidenceBatch {
    const receivedAt = (this.options.now ?? microsecondsNow)();
    const events: TurnEvent[] = [];
    for (const span of spans) {
      const screened = this.gate.screen(span);
      if (screened !== undefined) events.push(spanToEvent(spanRecordOf(screened), { receivedAt }));
    }
    return batchOf(events, receivedAt);
  }

  private async write(batch: EvidenceBatch): Promise<ExportAnswer> {
    if (batch.events.length === 0) return { code: exportDone };
    const { attemptsMax = 3, store } = this.options;
    try {
      await writeBatch(store, batch, attemptsMax);
      this.written += batch.events.length;
      return { code: exportDone };
    } catch (error) {
      this.failures++;
      this.failure = error as CodedError;
      const { cause } = this.failure;
      diag.warn(`turnproof: write_failed ${CodedError.is(cause) ? cause.code : ""}`.trimEnd());
      return { code: exportFailed, error: this.failure };
    }
  }
}
