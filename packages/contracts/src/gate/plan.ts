/** @module The plan of a comparison, worked out before its answer. */
import type { ContractTrials, GatePlan, GateSettings } from "./gate-report.ts";
import { smallestDrop } from "./power.ts";
import { pair, size, sumOf } from "./trials.ts";

/**
 * States what a comparison can show: the smallest drop that it finds. It reads the baseline's rate
 * and the sizes of both sides, no result of the candidate.
 *
 * @param tests contracts and measures that are tested together
 */
export function planGate(
  trials: ContractTrials,
  tests: number,
  settings: GateSettings = {},
): GatePlan {
  const { power = 0.8 } = settings;
  const alpha = (settings.alpha ?? 0.05) / tests;
  const { cases, paired } = pair(trials.baseline, trials.candidate);
  const single =
    paired && cases.every((one) => size(one.baseline) === 1 && size(one.candidate) === 1);
  const [left, right] = [sumOf(cases, "baseline"), sumOf(cases, "candidate")];
  const known = left.holds + left.violated;
  if (known === 0) return { alpha, power };
  const baselineViolated = (left.violated + 0.5) / (known + 1);
  const design = {
    baseline: known,
    candidate: size(right),
    paired: single,
    violated: baselineViolated,
    alpha,
  };
  const smallest = smallestDrop(design, power);
  return {
    alpha,
    power,
    baselineViolated,
    ...(smallest === undefined ? {} : { smallestDrop: smallest }),
  };
}
