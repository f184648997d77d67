/**
 * @module PlausibleTime: times that a clock can have said. One broken clock would stretch an axis
 * over decades, and leave one bar for everybody else.
 */

/** How far a time may lie after and before its receipt: a zone off, and a history brought in. */
const aheadMsMax = 86_400_000;
const behindMsMax = 400 * 86_400_000;

/** Whether a time can be right that was heard of then; both in epoch milliseconds. */
export function isPlausibleTime(atMs: number, heardMs: number): boolean {
  return atMs - heardMs <= aheadMsMax && heardMs - atMs <= behindMsMax;
}

/** The first and the last time that can be right, heard of then; in epoch milliseconds. */
export function plausibleRange(heardMs: number): readonly [number, number] {
  return [heardMs - behindMsMax, heardMs + aheadMsMax];
}

/** Those whose time can be right; all of them where none can, as of an old archive. */
export function plausibleOf<T extends { readonly atMs: number }>(
  all: readonly T[],
  nowMs: number,
): readonly T[] {
  const right = all.filter(({ atMs }) => isPlausibleTime(atMs, nowMs));
  return right.length === 0 ? all : right;
}
