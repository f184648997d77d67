/** @module PlanGrowth: the plan of a measure's comparison, worked out before its answer. */
import type { GateSettings, GrowthPlan, MeasureTrials } from "./gate-report.ts";
import { centre, highOf, isRange, lowOf, medians } from "./measures.ts";
import type { Measured } from "./measures.ts";
import { pairUp } from "./pairing.ts";
import type { PairingCounts, SharedCase } from "./pairing.ts";
import { smallestOf, unnamedOf } from "./plan-unnamed.ts";
import { growthFinder, valuesMin } from "./power-growth.ts";
import type { GrowthDesign } from "./power-growth.ts";
import type { TrialView } from "./trials.ts";

/**
 * In pairs the spread of the differences is taken from few values of the baseline, and of skewed
 * ones it is too small. So much of the chance to miss growth is left, that growth is found as often
 * as is stated.
 */
const missedInPairs = 0.7;
/** Growth beyond this factor is not looked for. */
const factorMax = 1_000;
/** Steps of the search: to less than a thousandth. */
const steps = 24;

/**
 * States what a comparison can show: the smallest growth that it finds. It reads the values of the
 * baseline and, of both sides, how many turns have one; no value of the candidate. The candidate's
 * values are taken to be spread as the baseline's are. In pairs, the turns of a case are taken as
 * independent: where cases agree, less growth is found.
 *
 * @param tests contracts and measures that are tested together
 */
export function planGrowth(
  trials: MeasureTrials,
  tests: number,
  settings: GateSettings = {},
): GrowthPlan {
  const { power = 0.8, allowedGrowth: margin = 0.1, alpha: together = 0.05 } = settings;
  const alpha = together / tests;
  const { counts, apart } = pairUp(trials.baseline, trials.candidate);
  const unknown = lackingOf(apart);
  const open = {
    ...(unknown.baseline + unknown.candidate === 0 ? {} : { unknown }),
    ...unnamedOf(counts),
  };
  const ranges = { baseline: rangesOf(apart.baseline), candidate: rangesOf(apart.candidate) };
  const find = (view: TrialView, wanted: number): number | undefined => {
    const sizes = sizesOf(apart, counts, view);
    const chance = sizes.paired ? 1 - (1 - wanted) * missedInPairs : wanted;
    return smallestGrowth({ ...sizes, margin, alpha }, chance);
  };
  const exact = smallestOf(counts, power, find);
  // Ends that favour the candidate hide growth up to their distance from the middle.
  const factor = exact === undefined ? Infinity : (1 + exact) * widthOf(apart);
  const smallest = factor <= factorMax ? factor - 1 : undefined;
  return {
    alpha,
    power,
    allowedGrowth: margin,
    ...open,
    ...(ranges.baseline + ranges.candidate === 0 ? {} : { ranges }),
    ...(smallest === undefined ? {} : { smallestGrowth: smallest }),
  };
}

function rangesOf(side: readonly Measured[]): number {
  return side.filter(({ value }) => isRange(value)).length;
}

/** How much growth the ranges of both sides may hide at most, as a factor; 1 without a range. */
function widthOf({ baseline, candidate }: SharedCase<Measured>): number {
  const widest = (
    side: readonly Measured[],
    [above, below]: readonly [typeof centre, typeof centre],
  ): number =>
    side.reduce(
      (most, { value }) => (isRange(value) ? Math.max(most, above(value) / below(value)) : most),
      1,
    );
  return widest(baseline, [highOf, centre]) * widest(candidate, [centre, lowOf]);
}

/** Smallest growth, as a share, that is found with the power. */
function smallestGrowth(design: GrowthDesign, power: number): number | undefined {
  if (design.values.length < valuesMin) return undefined;
  const found = growthFinder(design);
  let [low, high] = [1 + design.margin, factorMax];
  if (found(high) < power) return undefined;
  for (let step = 0; step < steps; step += 1) {
    const middle = Math.sqrt(low * high);
    if (found(middle) >= power) high = middle;
    else low = middle;
  }
  return high - 1;
}

type Sizes = Omit<GrowthDesign, "margin" | "alpha">;

/** Turns without a value. */
function lackingOf({ baseline, candidate }: SharedCase<Measured>): GrowthDesign["unknown"] {
  return {
    baseline: baseline.length - known(baseline).length,
    candidate: candidate.length - known(candidate).length,
  };
}

function known(side: readonly Measured[]): readonly number[] {
  return side.flatMap(({ value }) => (value === undefined ? [] : [centre(value)]));
}

function sizesOf(trials: SharedCase<Measured>, counts: PairingCounts, view: TrialView): Sizes {
  const { baseline, candidate } = trials;
  if (!counts.paired || view === "apart") {
    const values = known(baseline);
    const sizes = { baseline: values.length, candidate: known(candidate).length };
    return { ...sizes, values, paired: false, unknown: lackingOf(trials) };
  }
  const { withoutCase } = counts;
  const unnamed = view === "bounded" ? withoutCase.baseline + withoutCase.candidate : 0;
  const [left, right] = [casesOf(baseline), casesOf(candidate)];
  const shared = [...left].filter(([id]) => right.has(id));
  const complete = shared.filter(([id, isKnown]) => isKnown && right.get(id) === true);
  const ids = new Set(complete.map(([id]) => id));
  const kept = baseline.filter(({ caseId = "" }) => ids.has(caseId));
  // A case without any amount grows by no factor: it shows no difference and takes no part.
  const values = [...medians(kept).values()].filter((value) => value > 0);
  return {
    values,
    baseline: values.length,
    candidate: values.length,
    paired: true,
    unknown: { baseline: shared.length - complete.length + unnamed, candidate: 0 },
  };
}

/** The cases of a side, and whether each turn of a case has a value. */
function casesOf(side: readonly Measured[]): ReadonlyMap<string, boolean> {
  const cases = new Map<string, boolean>();
  for (const { caseId, value } of side) {
    if (caseId === undefined) continue;
    cases.set(caseId, (cases.get(caseId) ?? true) && value !== undefined);
  }
  return cases;
}
