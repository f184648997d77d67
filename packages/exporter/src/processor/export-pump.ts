/**
 * @module Export pump: when what waits is exported. It is in one of three states, drawn in the
 * package's README: idle (nothing waits), waiting (something waits for company, a timer runs) and
 * exporting (one batch at a time is on its way).
 *
 * A timer exports one batch, what fills a batch goes at once, and everything else waits for the
 * next timer: a slow exporter is not asked once per span. That is the SDK's own rule.
 */
import { diag } from "@opentelemetry/api";

import { ExportQueue } from "./export-queue.ts";
import type { QueueItem } from "./export-queue.ts";
import { untraced } from "./untraced.ts";

/** Options of a pump; times in milliseconds. */
export interface ExportPumpOptions {
  readonly queueMax: number;
  readonly batchMax: number;
  /** How long what ended waits for company. */
  readonly delayMs: () => number;
  /** Exports one batch; settles when each of its items is accounted for, and never rejects. */
  readonly exportBatch: (items: readonly QueueItem[]) => Promise<void>;
}

/** Time between two exports that were brought forward. */
const hastenedEveryMs = 250;

/** The queue and the rhythm in which it is emptied. */
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

  /** Nothing waits and nothing is on its way. */
  get idle(): boolean {
    return this.state === "idle";
  }

  /** False when the item's list is full; then it was not taken. */
  push(item: QueueItem): boolean {
    if (!this.queue.push(item)) return false;
    if (this.state === "exporting") return true;
    if (this.queue.length >= this.options.batchMax) this.begin();
    else if (this.state === "idle") this.wait(this.options.delayMs());
    return true;
  }

  /** Brings the export of what waits forward, unless one began a moment ago: then to its end. */
  hasten(): void {
    const inMs = Math.max(0, this.beganAt + hastenedEveryMs - Date.now());
    if (this.state === "waiting" && Date.now() + inMs < this.dueAt) this.wait(inMs);
  }

  /** Exports what waits now, and settles when it is accounted for; what comes later waits. */
  async flush(): Promise<void> {
    const mark = this.queue.mark();
    for (;;) {
      await this.passing;
      if (this.queue.passed(mark)) return;
      if (this.state !== "exporting") this.begin();
    }
  }

  /** Takes out everything that waits; what is on its way goes on. */
  takeAll(): QueueItem[] {
    this.rest();
    return this.queue.take(Number.MAX_SAFE_INTEGER);
  }

  private wait(inMs: number): void {
    this.state = "waiting";
    clearTimeout(this.timer);
    this.dueAt = Date.now() + inMs;
    // A timer holds the context in which it was made, and must not hold the process.
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
