/**
 * @module PercentileRanks: between which of the sorted values a percentile lies, whatever their
 * distribution.
 */
import { binomialAtLeast } from "./chance.ts";

/**
 * Ranks of the values that enclose a percentile, counted from 1. `low` is 0 and `high` is
 * `values + 1` where there are too few values for a bound.
 *
 * @param share of the values below the percentile, for example 0.95
 * @param level two-sided confidence
 */
export function percentileRanks(
  values: number,
  share: number,
  level: number,
): { readonly low: number; readonly high: number } {
  const tail = (1 - level) / 2;
  const least = firstOf(values + 1, (rank) => binomialAtLeast(rank, values, share) <= tail);
  const above = firstOf(values + 1, (rank) => 1 - binomialAtLeast(rank, values, share) > tail);
  return { low: Math.max(0, above - 1), high: least };
}

/** The first whole number from 0 to `end` for which this holds; it holds for all above. */
function firstOf(end: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
