/** @module Intervals of shares and of their difference. */
import { normalQuantile, shareAtLeast } from "./chance.ts";
import type { CaseCount, TrialCount } from "./trials.ts";

/** Lower and upper bound. */
export type Interval = { readonly low: number; readonly high: number };

/**
 * Clopper-Pearson interval of a share.
 *
 * @param level two-sided confidence, for example 0.95
 * @returns undefined where nothing was counted
 */
export function shareInterval(hits: number, of: number, level: number): Interval | undefined {
  if (of === 0) return undefined;
  const tail = (1 - level) / 2;
  return {
    low: hits === 0 ? 0 : shareAtLeast(hits, of, tail),
    high: hits === of ? 1 : shareAtLeast(hits + 1, of, 1 - tail),
  };
}

/**
 * Interval of the drop of the share that holds, baseline minus candidate. In pairs: Agresti and Min
 * over the differences of the cases, two cases added. Without: Agresti and Caffo over the turns of
 * the one case that all are, one hit and one miss added to each side.
 *
 * @param level two-sided confidence
 * @returns undefined where a side has no turn with a result
 */
export function dropInterval(
  cases: readonly CaseCount[],
  level: number,
  paired: boolean,
): Interval | undefined {
  const z = normalQuantile(1 - (1 - level) / 2);
  const reported = cases.filter(
    ({ baseline, candidate }) => established(baseline) > 0 && established(candidate) > 0,
  );
  const [first] = reported;
  if (first === undefined) return undefined;
  return bounds(paired ? estimateOfPairs(pairsOf(reported)) : estimateOfOne(first), z);
}

/** Drop of the share that holds: over all turns of one case, the mean over several cases. */
export function drop(cases: readonly CaseCount[]): number | undefined {
  const differences = cases.flatMap(({ baseline, candidate }) => {
    const [left, right] = [established(baseline), established(candidate)];
    return left > 0 && right > 0 ? [baseline.holds / left - candidate.holds / right] : [];
  });
  if (differences.length === 0) return undefined;
  return differences.reduce((sum, one) => sum + one, 0) / differences.length;
}

function established({ holds, violated }: TrialCount): number {
  return holds + violated;
}

/** Differences of the cases in pairs: how many have one, their sum and that of their squares. */
export interface PairDifferences {
  readonly cases: number;
  readonly sum: number;
  readonly squares: number;
}

/** Differences of the cases that have a result on both sides. */
export function pairsOf(cases: readonly CaseCount[]): PairDifferences {
  const differences = cases.flatMap((one) => drop([one]) ?? []);
  return {
    cases: differences.length,
    sum: differences.reduce((total, one) => total + one, 0),
    squares: differences.reduce((total, one) => total + one * one, 0),
  };
}

/**
 * Standard errors from an allowed drop to the one of two shares; the interval's bounds are at z.
 */
export function dropScore(of: CaseCount, allowed: number): number {
  const { centre, error } = estimateOfOne(of);
  return (centre - allowed) / error;
}

/** The same of cases in pairs. */
export function dropScoreOfPairs(of: PairDifferences, allowed: number): number {
  const { centre, error } = estimateOfPairs(of);
  return (centre - allowed) / error;
}

interface Estimate {
  readonly centre: number;
  readonly error: number;
}

function estimateOfOne({ baseline, candidate }: CaseCount): Estimate {
  const [n1, n2] = [established(baseline) + 2, established(candidate) + 2];
  const [p1, p2] = [(baseline.holds + 1) / n1, (candidate.holds + 1) / n2];
  const error = Math.sqrt((p1 * (1 - p1)) / n1 + (p2 * (1 - p2)) / n2);
  return { centre: p1 - p2, error };
}

function estimateOfPairs({ cases, sum, squares }: PairDifferences): Estimate {
  // Two further cases, a quarter in each of the four cells: +1 and -1 with half a case each.
  const n = cases + 2;
  const centre = sum / n;
  return { centre, error: Math.sqrt(squares + 1 - n * centre * centre) / n };
}

function bounds({ centre, error }: Estimate, z: number): Interval {
  return clamped(centre - z * error, centre + z * error);
}

function clamped(low: number, high: number): Interval {
  return { low: Math.max(-1, low), high: Math.min(1, high) };
}
