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
  return paired ? ofMany(reported, z) : ofOne(first, z);
}

/** The same of cases with one turn on each side, by how many changed. @param level two-sided */
export function dropIntervalOfPairs(
  { cases, worse, better }: { cases: number; worse: number; better: number },
  level: number,
): Interval {
  const z = normalQuantile(1 - (1 - level) / 2);
  return agrestiMin({ cases, sum: worse - better, squares: worse + better }, z);
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

function ofOne({ baseline, candidate }: CaseCount, z: number): Interval {
  const [n1, n2] = [established(baseline) + 2, established(candidate) + 2];
  const [p1, p2] = [(baseline.holds + 1) / n1, (candidate.holds + 1) / n2];
  const half = z * Math.sqrt((p1 * (1 - p1)) / n1 + (p2 * (1 - p2)) / n2);
  return clamped(p1 - p2 - half, p1 - p2 + half);
}

function ofMany(cases: readonly CaseCount[], z: number): Interval {
  const differences = cases.map((one) => drop([one]) ?? 0);
  const sum = differences.reduce((total, one) => total + one, 0);
  const squares = differences.reduce((total, one) => total + one * one, 0);
  return agrestiMin({ cases: differences.length, sum, squares }, z);
}

function agrestiMin(of: { cases: number; sum: number; squares: number }, z: number): Interval {
  // Two further cases, a quarter in each of the four cells: +1 and -1 with half a case each.
  const n = of.cases + 2;
  const mean = of.sum / n;
  const half = (z * Math.sqrt(of.squares + 1 - n * mean * mean)) / n;
  return clamped(mean - half, mean + half);
}

function clamped(low: number, high: number): Interval {
  return { low: Math.max(-1, low), high: Math.min(1, high) };
}
