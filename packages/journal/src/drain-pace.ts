/**
 * @module DrainPace: when the next batch starts, and how many are in flight. A batch costs an
 * engine about the same for one event as for a thousand, so a few batches in a row start at once,
 * and after them one starts each second, or when there are many spans. The number in flight follows
 * the store's measured times (faults R14): one more while that makes each batch cheaper, one fewer
 * when it does not, a single one after a failure.
 */

/** Times in milliseconds. */
export interface PaceOptions {
  /** Time between the starts of two batches, on average, under steady traffic. */
  readonly everyMs: number;
  /** Time between the starts of two batches that start at once. */
  readonly quickMs: number;
  /** Batches that may start at once; one more after each `everyMs`, up to this number. */
  readonly quickMax: number;
  /** Spans from which a batch starts at once in any case. */
  readonly fullSpans: number;
}

/** The time of the next batch, from the times of those before. */
export class DrainPace {
  private readonly options: PaceOptions;
  private startedAtMs = Number.NEGATIVE_INFINITY;
  /** Batches that could start at once, as of the last start; a fraction accrues with time. */
  private quick: number;

  constructor(options: PaceOptions) {
    this.options = options;
    this.quick = options.quickMax;
  }

  /** When the next batch may start, with so many spans waiting. */
  nextAtMs(waitingSpans: number): number {
    const { everyMs, quickMs, fullSpans } = this.options;
    if (waitingSpans >= fullSpans) return this.startedAtMs + quickMs;
    return this.startedAtMs + Math.max(quickMs, (1 - this.quick) * everyMs);
  }

  /** A batch starts. */
  started(nowMs: number): void {
    const { everyMs, quickMax } = this.options;
    const accrued = (nowMs - this.startedAtMs) / everyMs;
    this.quick = Math.max(0, Math.min(quickMax, this.quick + accrued) - 1);
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
