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
import { pair, sumOf } from "./trials.ts";
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
  const { power = 0.8, allowedDrop = 0.05, alpha: level = 0.05 } = settings;
  const alpha = level / tests;
  const { counts, cases } = pair(trials.baseline, trials.candidate);
  const [left, right] = [sumOf(cases.pairs, "baseline"), sumOf(cases.pairs, "candidate")];
  const known = established(left);
  const unknown = { baseline: left.unknown, candidate: right.unknown };
  const open = {
    ...(unknown.baseline + unknown.candidate === 0 ? {} : { unknown }),
    ...unnamedOf(counts),
    ...(counts.paired ? { cases: counts.cases } : {}),
  };
  if (known === 0) return { alpha, power, ...open };
  const baselineViolated = (left.violated + 0.5) / (known + 1);
  const allowed = { drop: allowedDrop, alpha: level };
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
  if (!paired) return together(cases);
  // The case is the unit. One with several turns counts as one turn, as if they all agreed, and as
  // one without a result where any of them has none: it never weighs less in the test.
  const lacking = (baseline: number, candidate: number): number =>
    cases.filter(
      (one) =>
        Math.min(1, one.baseline.unknown) === baseline &&
        Math.min(1, one.candidate.unknown) === candidate,
    ).length;
  const complete = lacking(0, 0);
  return {
    paired: true,
    baseline: complete,
    candidate: complete,
    unknown: { baseline: lacking(1, 0), candidate: lacking(0, 1) },
    unknownBoth: lacking(1, 1),
  };
}

/** The turns of all cases as those of one. */
function together(cases: readonly CaseCount[]): Sizes {
  const [left, right] = [sumOf(cases, "baseline"), sumOf(cases, "candidate")];
  return {
    paired: false,
    baseline: established(left),
    candidate: established(right),
    unknown: { baseline: left.unknown, candidate: right.unknown },
  };
}

function established({ holds, violated }: TrialCount): number {
  return holds + violated;
}
