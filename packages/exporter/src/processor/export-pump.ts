/**
 * @module Export pump: when queued items are exported. It is in one of three states, drawn in the
 * package's README: idle (empty queue), waiting (a timer runs) and exporting (one batch at a time
 * in flight).
 *
 * A timer exports one batch, a full batch is exported at once, and everything else waits for the
 * next timer: a slow exporter is not called once per span. This is the SDK's own rule.
 */
import { diag } from "@opentelemetry/api";

import { ExportQueue } from "./export-queue.ts";
import type { QueueItem } from "./export-queue.ts";
import { untraced } from "./untraced.ts";

/** Options of a pump; times in milliseconds. */
export interface ExportPumpOptions {
  readonly queueMax: number;
  readonly batchMax: number;
  /** How long an ended span waits for further ones. */
  readonly delayMs: () => number;
  /** Exports one batch; settles when each of its items is accounted for, and never rejects. */
  readonly exportBatch: (items: readonly QueueItem[]) => Promise<void>;
}

/** Time between two exports that were brought forward. */
const hastenedEveryMs = 250;

/** The queue and the timing of its exports. */
export class ExportPump {
  private readonly options: ExportPumpOptions;
  private readonly queue: ExportQueue;
  private state: "idle" | "waiting" | "exporting" = "idle";
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer ends, in epoch milliseconds. */
  private dueAt = Infinity;
  private beganAt = -Infinity;
  /** Settles when the state is no longer `exporting`. */
  private passing: Promise<void> = Promise.resolve();

  constructor(options: ExportPumpOptions) {
    this.options = options;
    this.queue = new ExportQueue(options.queueMax);
  }

  /** True when the queue is empty and no batch is in flight. */
  get idle(): boolean {
    return this.state === "idle";
  }

  /** False when the item's list is full; the item is then not queued. */
  push(item: QueueItem): boolean {
    if (!this.queue.push(item)) return false;
    if (this.state === "exporting") return true;
    if (this.queue.length >= this.options.batchMax) this.begin();
    else if (this.state === "idle") this.wait(this.options.delayMs());
    return true;
  }

  /**
   * Brings the next export forward, unless one began a moment ago: then to the end of that
   * interval.
   */
  hasten(): void {
    const inMs = Math.max(0, this.beganAt + hastenedEveryMs - Date.now());
    if (this.state === "waiting" && Date.now() + inMs < this.dueAt) this.wait(inMs);
  }

  /** Exports what is queued now, and settles when it is accounted for; later items wait. */
  async flush(): Promise<void> {
    const mark = this.queue.mark();
    for (;;) {
      await this.passing;
      if (this.queue.passed(mark)) return;
      if (this.state !== "exporting") this.begin();
    }
  }

  /** Takes all queued items; a batch in flight continues. */
  takeAll(): QueueItem[] {
    this.rest();
    return this.queue.take(Number.MAX_SAFE_INTEGER);
  }

  private wait(inMs: number): void {
    this.state = "waiting";
    clearTimeout(this.timer);
    this.dueAt = Date.now() + inMs;
    // A timer keeps the context of its creation and would keep the process alive; it must do
    // neither.
    this.timer = untraced(() => setTimeout(() => this.begin(), inMs));
    this.timer.unref?.();
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.dueAt = Infinity;
    if (this.state === "waiting") this.state = "idle";
  }

  private begin(): void {
    this.rest();
    this.state = "exporting";
    this.beganAt = Date.now();
    this.passing = untraced(() => this.pass());
  }

  private async pass(): Promise<void> {
    const { batchMax, exportBatch } = this.options;
    try {
      do await exportBatch(this.queue.take(batchMax));
      while (this.queue.length >= batchMax);
    } catch {
      diag.warn("turnproof: export_failed");
    } finally {
      this.state = "idle";
      if (this.queue.length > 0) this.wait(this.options.delayMs());
    }
  }
}
