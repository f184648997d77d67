/**
 * @module MeasurePart: a measure as it is tested, and whether it takes part in the outcome. A value
 * that is a range, as a cost without counts of cached tokens, may leave a measure open that its
 * middle clears. No further turn decides it then, so it is reported with a warning, and decides the
 * outcome only where it is required.
 */
import type { GateOutcome, GateSettings, MeasureTrials } from "./gate-report.ts";
import { centre, growthTest, isRange } from "./measures.ts";
import type { Measured } from "./measures.ts";
import { outcomesOf } from "./outcomes.ts";
import type { TestedPart } from "./outcomes.ts";
import { pairUp } from "./pairing.ts";
import type { TrialView, UnknownReading } from "./trials.ts";

/** How a measure is tested. */
type Levels = Required<Pick<GateSettings, "alpha" | "allowedGrowth">>;

/** The tests of a measure. */
export function measurePart(
  of: MeasureTrials,
  { alpha, allowedGrowth: margin }: Levels,
): TestedPart {
  const { counts, apart } = pairUp(of.baseline, of.candidate);
  const { baseline, candidate } = apart;
  const tested = (view: TrialView, reading: UnknownReading): ReturnType<typeof growthTest> =>
    growthTest(baseline, candidate, { margin, view: counts.paired ? view : "apart", reading });
  return {
    counts,
    worse: (view, reading) => tested(view, reading).grew,
    isClear: (view, reading) => tested(view, reading).didNotGrow <= alpha,
  };
}

/** True unless the measure is open only because values are ranges, and is not required. */
export function takesPart(
  of: MeasureTrials,
  outcome: GateOutcome,
  { required = [], ...levels }: Levels & Pick<GateSettings, "required">,
): boolean {
  const hasRange = [...of.baseline, ...of.candidate].some(({ value }) => isRange(value));
  if (outcome !== "not_enough_evidence" || !hasRange || required.includes(of.name)) return true;
  const exact = { ...of, baseline: of.baseline.map(middle), candidate: of.candidate.map(middle) };
  const [inTheMiddle] = outcomesOf([measurePart(exact, levels)], levels.alpha);
  return inTheMiddle?.outcome !== "no_regression";
}

function middle(one: Measured): Measured {
  return one.value === undefined ? one : { ...one, value: centre(one.value) };
}

/** What a measure that takes no part leaves open, as a sentence. */
export function openWords(name: string): string {
  return (
    `${name} decides nothing: its values are ranges, because counts that have their own price are ` +
    "not recorded, such as cached tokens (record 0 where there are none). The outcome is that of " +
    `the rest, unless ${name} is required.`
  );
}

/** A measure that is required and that neither side has, in a sentence. */
export function requiredWords(name: string): string {
  return `${name} is required, and not recorded on either side.`;
}
