/**
 * @module Rank tests: whether values grew, whatever their distribution. Equal values share the mean
 * of their ranks. Small samples are counted exactly; larger ones use the normal approximation with
 * its correction for ties.
 */
import { normalAtLeast } from "./chance.ts";
import { ranks, shareFrom, sumsOfChoices, sumsOfSigns } from "./rank-sums.ts";

/** Most values of both sides that are counted exactly. */
export const exactValues = 40;
/** Most pairs that are counted exactly. */
export const exactPairs = 100;

/**
 * Mann and Whitney's test.
 *
 * @returns p-value of "the candidate's values are not larger"; 1 where a side is empty
 */
export function growth(baseline: readonly number[], candidate: readonly number[]): number {
  const [n1, n2] = [baseline.length, candidate.length];
  if (n1 === 0 || n2 === 0) return 1;
  const { doubled, ties } = ranks([...candidate, ...baseline]);
  const seen = doubled.slice(0, n2).reduce((sum, rank) => sum + rank, 0);
  const n = n1 + n2;
  if (n <= exactValues) return shareFrom(sumsOfChoices(doubled, n2), seen);
  const variance = (n1 * n2 * (n + 1 - ties / (n * (n - 1)))) / 12;
  if (variance <= 0) return 1;
  return normalAtLeast((seen / 2 - (n2 * (n + 1)) / 2 - 0.5) / Math.sqrt(variance));
}

/**
 * Wilcoxon's signed-rank test. Differences of zero are left out.
 *
 * @param differences candidate minus baseline of each case
 * @returns p-value of "the candidate's values are not larger"; 1 where no case differs
 */
export function pairedGrowth(differences: readonly number[]): number {
  const some = differences.filter((one) => one !== 0);
  const n = some.length;
  if (n === 0) return 1;
  const { doubled, ties } = ranks(some.map((one) => Math.abs(one)));
  const seen = doubled.reduce((sum, rank, at) => sum + ((some[at] ?? 0) > 0 ? rank : 0), 0);
  if (n <= exactPairs) return shareFrom(sumsOfSigns(doubled), seen);
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - ties / 48;
  return normalAtLeast((seen / 2 - (n * (n + 1)) / 4 - 0.5) / Math.sqrt(variance));
}
