/**
 * @module DrainPace: when the next batch starts, and how many may be on their way. Small blocks are
 * dear for an engine, so batches start at once while it is quiet and at intervals while it is busy.
 * How many travel together follows what the store shows of itself (faults R14): one more while
 * batches take no longer for it, one fewer when they do, one alone after a failure.
 */

/** Times in milliseconds. */
export interface PaceOptions {
  /** Time between the starts of two batches while spans keep coming, and while few do. */
  readonly busyMs: number;
  readonly quietMs: number;
  /** Spans within `busyMs` from which on it counts as busy. */
  readonly busySpans: number;
}

/** Remembers how much came lately; forgets it within a few `busyMs`. */
export class DrainPace {
  private readonly options: PaceOptions;
  private startedAtMs = 0;
  private spans = 0;

  constructor(options: PaceOptions) {
    this.options = options;
  }

  private lately(nowMs: number): number {
    const sinceMs = Math.max(1, nowMs - this.startedAtMs);
    return this.spans * Math.exp(-sinceMs / this.options.busyMs);
  }

  /** When the next batch may start, from how much came since the last one started. */
  nextAtMs(nowMs: number, waitingSpans: number): number {
    const { busyMs, busySpans, quietMs } = this.options;
    const busy = this.lately(nowMs) + waitingSpans >= busySpans;
    return this.startedAtMs + (busy ? busyMs : quietMs);
  }

  /** A batch of so many spans starts. */
  started(nowMs: number, spans: number): void {
    this.spans = this.lately(nowMs) + spans;
    this.startedAtMs = nowMs;
  }
}

/** Longer than the best by this factor: the store works on them one after another. */
const slower = 1.6;
/** How far the best is forgotten with each batch, so that a store that grew slower is not punished. */
const forgetting = 1.02;

/** How many batches may be on their way. */
export class AdaptiveConcurrency {
  private readonly max: number;
  private allowed = 1;
  private bestMs = Number.POSITIVE_INFINITY;

  constructor(max: number) {
    this.max = Math.max(1, Math.floor(max));
  }

  get limit(): number {
    return this.allowed;
  }

  /** A batch was stored after so long; `waited` when another one waited for its place meanwhile. */
  stored(elapsedMs: number, waited: boolean): void {
    const best = Math.max(1, Math.min(this.bestMs * forgetting, elapsedMs));
    this.bestMs = best;
    if (!waited) return;
    if (elapsedMs <= best * slower) this.allowed = Math.min(this.max, this.allowed + 1);
    else this.allowed = Math.max(1, this.allowed - 1);
  }

  /** A try failed: whatever is wrong, more at once does not help it. */
  failed(): void {
    this.allowed = 1;
  }
}
