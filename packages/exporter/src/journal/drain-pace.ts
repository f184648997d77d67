/**
 * @module DrainPace: when the next batch starts, and how many may be on their way. Small blocks are
 * dear for an engine, so batches start at once while it is quiet and at intervals while it is busy.
 * How many travel together follows what the store shows of itself (faults R14): one more while
 * that makes each of them cheaper, one fewer when it does not, one alone after a failure.
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

/** What one more on its way must save of the time that each of them costs, to be worth it. */
const worth = 0.85;
/** How far a figure that was not tried lately is forgotten with each batch, so that it is again. */
const forgetting = 0.98;

/** How many batches may be on their way. */
export class AdaptiveConcurrency {
  private readonly max: number;
  private allowed: number;
  /**
   * Time that passes for each batch when so many travel together: what one takes, divided by how
   * many. A store that works on them one after another shows the same figure for any number.
   */
  private readonly shareMs: (number | undefined)[] = [];

  constructor(max: number) {
    this.max = Math.max(1, Math.floor(max));
    this.allowed = Math.min(2, this.max);
  }

  get limit(): number {
    return this.allowed;
  }

  /** A batch was stored after so long; `waited` when another one waited for its place meanwhile. */
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

  /** A try failed: whatever is wrong, more at once does not help it. */
  failed(): void {
    this.allowed = 1;
  }
}
