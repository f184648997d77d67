/**
 * @module DrainPace: when the next batch starts, and how many are in flight. Small inserts are
 * expensive for an engine, so batches start at once while traffic is low and at intervals while it
 * is high. The number in flight follows the store's measured times (faults R14): one more while
 * that makes each batch cheaper, one fewer when it does not, a single one after a failure.
 */

/** Times in milliseconds. */
export interface PaceOptions {
  /** Time between the starts of two batches under high and under low traffic. */
  readonly busyMs: number;
  readonly quietMs: number;
  /** Spans within `busyMs` from which traffic counts as high. */
  readonly busySpans: number;
}

/** Tracks recent traffic; decays within a few `busyMs`. */
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

  /** When the next batch may start, from the spans that came since the last one started. */
  nextAtMs(nowMs: number, waitingSpans: number): number {
    const { busyMs, busySpans, quietMs } = this.options;
    const busy = this.lately(nowMs) + waitingSpans >= busySpans;
    return this.startedAtMs + (busy ? busyMs : quietMs);
  }

  /** A batch of this many spans starts. */
  started(nowMs: number, spans: number): void {
    this.spans = this.lately(nowMs) + spans;
    this.startedAtMs = nowMs;
  }
}

/** Factor by which one more in flight must lower the time per batch to be kept. */
const worth = 0.85;
/** Decay per batch of a figure that was not measured lately, so that it is measured again. */
const forgetting = 0.98;

/** How many batches may be in flight. */
export class AdaptiveConcurrency {
  private readonly max: number;
  private allowed: number;
  /**
   * Time per batch by number in flight: its duration divided by that number. A store that
   * processes them one after another has the same figure for any number.
   */
  private readonly shareMs: (number | undefined)[] = [];

  constructor(max: number) {
    this.max = Math.max(1, Math.floor(max));
    this.allowed = Math.min(2, this.max);
  }

  get limit(): number {
    return this.allowed;
  }

  /** A batch was stored after this time; `waited`: another one waited for a slot meanwhile. */
  stored(elapsedMs: number, waited: boolean): void {
    if (!waited) return;
    const at = this.allowed;
    const now = Math.max(1, elapsedMs) / at;
    const share = ((this.shareMs[at] ?? now) + now) / 2;
    this.shareMs[at] = share;
    const fewer = this.shareMs[at - 1];
    const more = this.shareMs[at + 1];
    if (fewer !== undefined && share > fewer * worth) this.allowed = at - 1;
    else if (at < this.max && (more === undefined || more <= share * worth)) this.allowed = at + 1;
    else if (more !== undefined) this.shareMs[at + 1] = more * forgetting;
  }

  /** An attempt failed: more in flight does not help. */
  failed(): void {
    this.allowed = 1;
  }
}
