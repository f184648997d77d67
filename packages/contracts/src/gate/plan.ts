/** @module The plan of a comparison, worked out before its answer. */
import { appliedOf } from "./applied.ts";
import type { Design } from "./design.ts";
import type {
  ContractTrials,
  GatePlan,
  GatePlans,
  GateSettings,
  MeasureTrials,
} from "./gate-report.ts";
import { isRecorded } from "./measures.ts";
import { planGrowth } from "./plan-growth.ts";
import { smallestDrop } from "./power.ts";
import { smallestOf, unnamedOf } from "./plan-unnamed.ts";
import { pair, size, sumOf } from "./trials.ts";
import type { CaseCount, TrialCount, TrialView } from "./trials.ts";

/**
 * States what a comparison can show: the smallest drop that it finds. It reads the baseline's rate
 * and, of both sides, how many turns have a result; no result of the candidate.
 *
 * @param tests contracts and measures that are tested together
 */
export function planGate(
  trials: ContractTrials,
  tests: number,
  settings: GateSettings = {},
): GatePlan {
  const { power = 0.8, allowedDrop = 0.05, alpha: together = 0.05 } = settings;
  const alpha = together / tests;
  const { counts, cases } = pair(trials.baseline, trials.candidate);
  const [left, right] = [sumOf(cases.pairs, "baseline"), sumOf(cases.pairs, "candidate")];
  const known = established(left);
  const unknown = { baseline: left.unknown, candidate: right.unknown };
  const open = {
    ...(unknown.baseline + unknown.candidate === 0 ? {} : { unknown }),
    ...unnamedOf(counts),
  };
  if (known === 0) return { alpha, power, ...open };
  const baselineViolated = (left.violated + 0.5) / (known + 1);
  const allowed = { drop: allowedDrop, alpha: together };
  const find = (view: TrialView, wanted: number): number | undefined => {
    const sizes = sizesOf(cases[view], counts.paired && view !== "apart");
    return smallestDrop({ ...sizes, violated: baselineViolated, alpha, allowed }, wanted);
  };
  const smallest = smallestOf(counts, power, find);
  return {
    alpha,
    power,
    baselineViolated,
    ...open,
    ...(smallest === undefined ? {} : { smallestDrop: smallest }),
  };
}

/** The plan of each contract and of each recorded measure, which are tested together. */
export function planTogether(
  all: readonly ContractTrials[],
  every: readonly MeasureTrials[],
  settings: GateSettings = {},
): GatePlans {
  const { contracts, notApplied } = appliedOf(all);
  const measures = every.filter(isRecorded);
  const tests = contracts.length + measures.length;
  return {
    contracts: Object.fromEntries(
      contracts.map((one) => [one.name, planGate(one, tests, settings)]),
    ),
    measures: Object.fromEntries(
      measures.map((one) => [one.name, planGrowth(one, tests, settings)]),
    ),
    ...(notApplied.length === 0 ? {} : { notApplied }),
  };
}

type Sizes = Pick<Design, "baseline" | "candidate" | "paired" | "unknown" | "unknownBoth">;

function sizesOf(cases: readonly CaseCount[], paired: boolean): Sizes {
  if (!paired) return scaled(cases, 1);
  const single = cases.every((one) => size(one.baseline) === 1 && size(one.candidate) === 1);
  if (!single) return scaled(cases, sharedWeight(cases));
  const lacking = (baseline: number, candidate: number): number =>
    cases.filter((one) => one.baseline.unknown === baseline && one.candidate.unknown === candidate)
      .length;
  const complete = lacking(0, 0);
  return {
    paired: true,
    baseline: complete,
    candidate: complete,
    unknown: { baseline: lacking(1, 0), candidate: lacking(0, 1) },
    unknownBoth: lacking(1, 1),
  };
}

/** The turns of all cases as those of one, by a factor of their number. */
function scaled(cases: readonly CaseCount[], factor: number): Sizes {
  const [left, right] = [sumOf(cases, "baseline"), sumOf(cases, "candidate")];
  return {
    paired: false,
    baseline: Math.floor(established(left) * factor),
    candidate: Math.floor(established(right) * factor),
    unknown: {
      baseline: Math.ceil(left.unknown * factor),
      candidate: Math.ceil(right.unknown * factor),
    },
  };
}

/**
 * What the turns weigh when each is compared within its case only, beside the same number in one
 * case: 1 where all cases have the same mix of both sides.
 */
function sharedWeight(cases: readonly CaseCount[]): number {
  const together = weight(
    established(sumOf(cases, "baseline")),
    established(sumOf(cases, "candidate")),
  );
  if (together === 0) return 0;
  const apart = cases.map((one) => weight(established(one.baseline), established(one.candidate)));
  return apart.reduce((sum, one) => sum + one, 0) / together;
}

/** Inverse of the variance of a difference of two means, but for a factor. */
function weight(left: number, right: number): number {
  return left + right === 0 ? 0 : (left * right) / (left + right);
}

function established({ holds, violated }: TrialCount): number {
  return holds + violated;
}
