/** @module pass^k: chance that k turns of one case all hold the contract. */
import { read } from "./trials.ts";
import type { CaseCount, UnknownReading, TrialCount } from "./trials.ts";

/** pass^k of one side. */
export type PassK = {
  readonly k: number;
  /** Cases with at least k turns that have a result. */
  readonly cases: number;
  /** Estimate over the turns that have a result; undefined where no case has k of them. */
  readonly value?: number;
  /** Bounds with every turn without a result read as violated, and as held. */
  readonly low?: number;
  readonly high?: number;
};

/**
 * Unbiased estimate: the share of all ways to choose k of a case's turns in which each one holds,
 * averaged over the cases.
 */
export function passK(
  cases: readonly CaseCount[],
  side: "baseline" | "candidate",
  k: number,
): PassK {
  const value = mean(cases, side, k, "established");
  const bounds = (["worst", "best"] as const).map((reading) => mean(cases, side, k, reading).mean);
  const known = bounds.filter((bound) => bound !== undefined);
  return {
    k,
    cases: value.cases,
    ...(value.mean === undefined ? {} : { value: value.mean }),
    ...(known.length === 0 ? {} : { low: Math.min(...known), high: Math.max(...known) }),
  };
}

function mean(
  cases: readonly CaseCount[],
  side: "baseline" | "candidate",
  k: number,
  reading: UnknownReading,
): { readonly cases: number; readonly mean?: number } {
  const estimates = cases
    .map((one) => read(one, reading)[side])
    .filter(({ holds, violated }) => holds + violated >= k)
    .map((count) => allOf(count, k));
  if (estimates.length === 0) return { cases: 0 };
  return {
    cases: estimates.length,
    mean: estimates.reduce((sum, one) => sum + one, 0) / estimates.length,
  };
}

/** C(holds, k) / C(all, k), as a product that does not overflow. */
function allOf({ holds, violated }: TrialCount, k: number): number {
  let share = 1;
  for (let i = 0; i < k; i += 1) share *= Math.max(0, holds - i) / (holds + violated - i);
  return share;
}
