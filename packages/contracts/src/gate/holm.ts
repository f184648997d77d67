/** @module Holm's correction of several tests that are read together. */

/**
 * Adjusts p-values so that the chance of a single false alarm among all of them stays below the
 * level that they are compared with.
 *
 * @returns adjusted p-values, in the order given
 */
export function holm(pValues: readonly number[]): readonly number[] {
  const order = pValues.map((p, at) => ({ p, at })).toSorted((a, b) => a.p - b.p);
  const adjusted = Array.from({ length: pValues.length }, () => 1);
  let largest = 0;
  for (const [rank, { p, at }] of order.entries()) {
    largest = Math.max(largest, Math.min(1, p * (pValues.length - rank)));
    adjusted[at] = largest;
  }
  return adjusted;
}
