/**
 * @module MemoryExporter: keeps finished spans of this process as events, for unit tests without a
 * server. The events are those that a collector would store.
 */
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";

import { microsecondsNow } from "../bundle/evidence-write.ts";
import { createGate } from "../gate/gate.ts";
import type { Gate, GateCounts, GateOptions } from "../gate/gate.ts";
import { exportDone } from "../gate/sdk-shapes.ts";
import type { ExportAnswer, GateExporter, ReadableSpanLike } from "../gate/sdk-shapes.ts";
import { spanRecordOf } from "../gate/span-record-of.ts";
import { spanToEvent } from "../mapping/span-to-event.ts";

/** A span exporter into memory, of which `expectTurn` reads events and metadata. */
export class MemoryExporter implements GateExporter {
  private readonly gate: Gate;
  private held: TurnEvent[] = [];
  /** Spans that could not be mapped since the last reset. */
  private lost = 0;

  constructor(options: GateOptions = {}) {
    this.gate = createGate(options);
  }

  /** Events of the spans that ended since the last reset, in the order of their ends. */
  get events(): readonly TurnEvent[] {
    return this.held;
  }

  /** How they were read: everything that was exported, unless a span could not be mapped. */
  get metadata(): WindowMetadata {
    return {
      window_complete: this.lost === 0,
      truncated: false,
      normalization_errors: 0,
      read_completeness: this.lost === 0 ? "complete" : "partial",
      known_loss: this.lost,
    };
  }

  /** What the gate refused, by code. */
  get dropped(): GateCounts {
    return this.gate.dropped;
  }

  export(spans: ReadableSpanLike[], done: (answer: ExportAnswer) => void): void {
    const receivedAt = microsecondsNow();
    for (const span of spans) {
      const screened = this.gate.screen(span);
      if (screened === undefined) this.lost += 1;
      else this.held.push(spanToEvent(spanRecordOf(screened), { receivedAt }));
    }
    done({ code: exportDone });
  }

  /** Forgets the events, before the next test. */
  reset(): void {
    this.held = [];
    this.lost = 0;
  }

  async forceFlush(): Promise<void> {}

  /** The events stay. */
  async shutdown(): Promise<void> {}
}
