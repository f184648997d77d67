/**
 * @module RuleScheduler: when the rules are looked at: every few seconds, and soon after turns were
 * written or judged. However often that is, at most half the time is spent on looking, and a pause
 * follows each look.
 */
import { codeOf } from "@turnproof/semconv";

/** Pauses in milliseconds. */
export interface LookingTimes {
  /** Pause where nothing wakes it. */
  readonly everyMs: number;
  /** Shortest pause after a look. */
  readonly leastMs: number;
}

/** A look, and what becomes of one that failed; the next one follows all the same. */
export interface Looked {
  /** Resolves with the time until a rule is due again, in milliseconds. */
  look(): Promise<number>;
  failed(code: string): void;
}

/** Looks again and again until it is closed. */
export class RuleScheduler {
  readonly #of: Looked;
  readonly #times: LookingTimes;
  #timer: NodeJS.Timeout | undefined;
  /** No look begins before, in time of the process. */
  #soonest = 0;
  #state: "idle" | "waiting" | "looking" | "closed" = "idle";
  #woken = false;

  constructor(of: Looked, times: LookingTimes) {
    this.#of = of;
    this.#times = times;
  }

  /** The first look follows at once. */
  start(): void {
    if (this.#state === "idle") this.#wait(0);
  }

  /** Looks as soon as the pause allows; a look that runs is followed by one more. */
  wake(): void {
    this.#woken = true;
    if (this.#state === "waiting") this.#wait(this.#soonest - performance.now());
  }

  close(): void {
    this.#state = "closed";
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#state = "waiting";
    this.#timer = setTimeout(() => void this.#again(), Math.max(0, ms)).unref();
  }

  async #again(): Promise<void> {
    const began = performance.now();
    this.#state = "looking";
    this.#woken = false;
    const dueMs = await this.#of.look().catch((error: unknown) => {
      this.#of.failed(codeOf(error));
      return Infinity;
    });
    if (this.#isClosed()) return;
    const pauses = pausesAfter(performance.now() - began, this.#times);
    this.#soonest = performance.now() + pauses.woken;
    const calmMs = Math.max(pauses.woken, Math.min(pauses.calm, dueMs));
    this.#wait(this.#woken ? pauses.woken : calmMs);
  }

  #isClosed(): boolean {
    return this.#state === "closed";
  }
}

/** Pauses after a look that took so long: where it was woken, and where not. */
export function pausesAfter(
  tookMs: number,
  { everyMs, leastMs }: LookingTimes,
): { readonly woken: number; readonly calm: number } {
  const woken = Math.max(Math.min(leastMs, everyMs), tookMs);
  return { woken, calm: Math.max(everyMs, woken) };
}
