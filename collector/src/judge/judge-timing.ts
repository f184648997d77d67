/**
 * @module JudgeTiming: how long a judge without a backlog takes, so that a lag is what is beyond.
 */

/** A root is quiet when nothing arrived for this long. */
export const quietMs = 5_000;
/** A root whose turns have ended need not be quiet for longer than this. */
export const endedMs = 1_000;
/** How often the judge looks for quiet roots. */
export const everyMs = 2_000;
/**
 * How soon it looks after a start: when the process listens, and its first requests are answered.
 */
export const firstMs = 250;
/** How often the progress is stored. */
export const keepEveryMs = 5_000;
/** A span is received a moment before it is pending. */
export const pendingAfterMs = 2_000;

/** Longest time from the receipt of a turn's last event to its verdict without a backlog. */
export const verdictWaitMs: number = quietMs + everyMs;
/** Longest time from a receipt to a stored mark beyond it, without a backlog. */
export const markWaitMs: number = verdictWaitMs + pendingAfterMs + keepEveryMs;

/** Part of an age that is more than a judge without a backlog takes; 0 where there is none. */
export function beyond(waitMs: number, ageMs: number): number {
  return Math.max(0, ageMs - waitMs);
}
