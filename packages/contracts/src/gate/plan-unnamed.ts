/**
 * @module PlanUnnamed: what a comparison in pairs finds beside turns that name no case. Either of
 * two ways makes its outcome stand, as in `outcomes.ts`.
 */
import type { PairingCounts } from "./pairing.ts";
import type { GatePlan } from "./gate-report.ts";
import type { TrialView } from "./trials.ts";

/**
 * The smallest change that is found with the power.
 *
 * Two tests that must both find it: each does with the root of the power. Both rise with what
 * the candidate does worse, so together they do with at least the product.
 *
 * @param find smallest change that one test finds; undefined: none
 */
export function smallestOf(
  counts: PairingCounts,
  power: number,
  find: (view: TrialView, power: number) => number | undefined,
): number | undefined {
  if (unnamedOf(counts).withoutCase === undefined) return find("pairs", power);
  const bounded = find("bounded", power) ?? Infinity;
  const each = Math.sqrt(power);
  const both = Math.max(find("pairs", each) ?? Infinity, find("apart", each) ?? Infinity);
  const smallest = Math.min(bounded, both);
  return Number.isFinite(smallest) ? smallest : undefined;
}

/** Turns without a case beside pairs, where there are any. */
export function unnamedOf({ paired, withoutCase }: PairingCounts): Pick<GatePlan, "withoutCase"> {
  return paired && withoutCase.baseline + withoutCase.candidate > 0 ? { withoutCase } : {};
}
