/**
 * @module NearestRank: a percentile that is one of the values, as contracts, the ledger and the
 * pages report it.
 */

/**
 * The least value that at least this share of the values does not exceed; null without values.
 *
 * @param share from 0 to 1; with 0 the least value
 */
export function nearestRank(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
