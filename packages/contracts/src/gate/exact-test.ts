/**
 * @module Exact test of a one-sided change between two sets of turns that do not pair up. If
 * nothing changed, the violations are spread over both sides by chance alone, so that their number
 * on the candidate's side is hypergeometric: Fisher's exact test. Pairs have the sign test.
 */
import { hypergeometricAtLeast } from "./chance.ts";
import type { CaseCount } from "./trials.ts";

/**
 * Probability of at least as many violations of the candidate as were seen, if nothing changed.
 * Turns without a result are left out.
 *
 * @returns p-value, 1 where a side has no result
 */
export function exactRegression({ baseline, candidate }: CaseCount): number {
  const drawn = candidate.holds + candidate.violated;
  return hypergeometricAtLeast(candidate.violated, {
    total: drawn + baseline.holds + baseline.violated,
    marked: baseline.violated + candidate.violated,
    drawn,
  });
}
