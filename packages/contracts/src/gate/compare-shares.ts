/**
 * @module CompareShares: the share of two groups of things that have something: its difference with
 * an interval, and whether chance alone explains it.
 */
import { exactRegression } from "./exact-test.ts";
import { drop, dropInterval } from "./intervals.ts";
import type { Interval } from "./intervals.ts";
import type { CaseCount } from "./trials.ts";

/** Number of things with something, of all things of a group. */
export type Share = { readonly hits: number; readonly of: number };

/** Two shares compared. */
export type ShareComparison = {
  /** Candidate minus baseline, from -1 to 1; absent where a group is empty. */
  readonly difference?: number;
  /** Agresti and Caffo's interval of the difference. */
  readonly interval?: Interval;
  /** Fisher's exact test: chance of a candidate's share as large as this, or larger. */
  readonly more: number;
  /** The same in either direction: twice the smaller tail, at most 1. */
  readonly different: number;
};

/**
 * Compares the share of a candidate with that of a baseline.
 *
 * @param level two-sided confidence of the interval, for example 0.95
 */
export function compareShares(baseline: Share, candidate: Share, level: number): ShareComparison {
  const all = caseOf(baseline, candidate);
  const [difference, interval] = [drop([all]), dropInterval([all], level, false)];
  const more = exactRegression(all);
  const fewer = exactRegression(caseOf(candidate, baseline));
  return {
    ...(difference === undefined ? {} : { difference }),
    ...(interval === undefined ? {} : { interval }),
    more,
    different: Math.min(1, 2 * Math.min(more, fewer)),
  };
}

function caseOf(baseline: Share, candidate: Share): CaseCount {
  return { baseline: countOf(baseline), candidate: countOf(candidate) };
}

function countOf({ hits, of }: Share): CaseCount["baseline"] {
  return { holds: of - hits, violated: hits, unknown: 0 };
}
