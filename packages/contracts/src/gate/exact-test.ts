/**
 * @module Exact test of one-sided change. Within a case the violations are spread over both sides
 * by chance alone if nothing changed, so that their number on the candidate's side is
 * hypergeometric; the cases are independent. With one case this is Fisher's exact test, with one
 * turn on each side of every case McNemar's, in between the exact conditional test of
 * Mantel and Haenszel.
 */
import { hypergeometric, hypergeometricAtLeast } from "./chance.ts";
import type { CaseCount } from "./trials.ts";

/** Probabilities below this are left out of a sum; a million of them stay below 1e-12. */
const negligible = 1e-18;

/**
 * Probability of at least as many violations of the candidate as were seen, if nothing changed.
 * Turns without a result are left out.
 *
 * @returns p-value, 1 where no case can decide
 */
export function exactRegression(cases: readonly CaseCount[]): number {
  const [only] = cases;
  if (cases.length === 1 && only !== undefined) return fisher(only);
  let chances: readonly number[] = [1];
  let low = 0;
  let seen = 0;
  for (const { baseline, candidate } of cases) {
    const drawn = candidate.holds + candidate.violated;
    const total = drawn + baseline.holds + baseline.violated;
    const marked = baseline.violated + candidate.violated;
    const one = spread(total, marked, drawn);
    seen += candidate.violated;
    low += one.low;
    if (one.chances.length > 1) chances = summed(chances, one.chances);
  }
  return Math.min(1, tail(chances, seen - low));
}

/** The test of one case, of any size. */
function fisher({ baseline, candidate }: CaseCount): number {
  const drawn = candidate.holds + candidate.violated;
  return hypergeometricAtLeast(candidate.violated, {
    total: drawn + baseline.holds + baseline.violated,
    marked: baseline.violated + candidate.violated,
    drawn,
  });
}

/** Distributions of small cases; most comparisons have many that are alike. */
const small = new Map<number, ReturnType<typeof hypergeometric>>();
/** Cases below this size are kept: at most 32,768 of them. */
const smallSize = 32;

function spread(total: number, marked: number, drawn: number): ReturnType<typeof hypergeometric> {
  if (total >= smallSize) return hypergeometric(total, marked, drawn);
  const key = (total * smallSize + marked) * smallSize + drawn;
  const kept = small.get(key) ?? hypergeometric(total, marked, drawn);
  small.set(key, kept);
  return kept;
}

/** Distribution of the sum of two independent counts. */
function summed(left: readonly number[], right: readonly number[]): readonly number[] {
  const sum = Array.from({ length: left.length + right.length - 1 }, () => 0);
  for (const [i, a] of left.entries()) {
    if (a < negligible) continue;
    for (const [j, b] of right.entries()) sum[i + j] = (sum[i + j] ?? 0) + a * b;
  }
  return sum;
}

function tail(chances: readonly number[], from: number): number {
  let sum = 0;
  // The small ones first, so that they are not lost beside the large ones.
  for (let i = chances.length - 1; i >= Math.max(0, from); i -= 1) sum += chances[i] ?? 0;
  return sum;
}
