/**
 * @module PlausibleTime: which times are plausible. One broken clock would stretch an axis over
 * decades and leave a single bar for all other turns.
 */

/**
 * How far a time may be after and before its receipt: a wrong time zone, and an imported history.
 */
const aheadMsMax = 86_400_000;
const behindMsMax = 400 * 86_400_000;

/** Whether a time is plausible for its receipt; both in epoch milliseconds. */
export function isPlausibleTime(atMs: number, heardMs: number): boolean {
  return atMs - heardMs <= aheadMsMax && heardMs - atMs <= behindMsMax;
}

/** The first and the last plausible time for a receipt; in epoch milliseconds. */
export function plausibleRange(heardMs: number): readonly [number, number] {
  return [heardMs - behindMsMax, heardMs + aheadMsMax];
}

/** Those with a plausible time; all of them where none has one, as in an old archive. */
export function plausibleOf<T extends { readonly atMs: number }>(
  all: readonly T[],
  nowMs: number,
): readonly T[] {
  const right = all.filter(({ atMs }) => isPlausibleTime(atMs, nowMs));
  return right.length === 0 ? all : right;
}
