/** @module GateTexts: figures of the gate as text. */
import type {
  ContractComparison,
  GateOutcome,
  GatePlan,
  GatePlans,
  GateReport,
  GrowthPlan,
  MeasureComparison,
  SideShare,
} from "../gate/gate-report.ts";
import type { Interval } from "../gate/intervals.ts";
import type { SideMeasure } from "../gate/measures.ts";
import type { OfSides, PairingCounts } from "../gate/pairing.ts";
import type { PassK } from "../gate/pass-k.ts";

/** An outcome in words. */
export const outcomeTexts: { readonly [K in GateOutcome]: string } = {
  regressed: "regressed",
  no_regression: "no regression",
  not_enough_evidence: "not enough evidence",
};

/** The outcome of a measure, and whether it is a part of that of all. */
export function measureOutcome({ outcome, decides }: MeasureComparison): string {
  return decides ? outcomeTexts[outcome] : `${outcomeTexts[outcome]}, decides nothing`;
}

/** A share in per cent, `unknown` without one. */
export function percent(share: number | undefined): string {
  return share === undefined ? "unknown" : `${(share * 100).toFixed(1)} %`;
}

/** A difference of shares in points. */
function points(difference: number): string {
  return `${(difference * 100).toFixed(1)} points`;
}

/** One side: its share, how many turns it is of, and how many have no result. */
export function sideTexts({ share, holds, violated, unknown, interval }: SideShare): string {
  const known = holds + violated;
  const bounds = interval === undefined ? "" : `, ${between(interval)}`;
  const open = unknown === 0 ? "" : `, ${unknown} not established`;
  return `${percent(share)} (${holds} of ${known}${bounds}${open})`;
}

/** The change of the share that holds. */
export function changeTexts({ drop, dropInterval: interval }: ContractComparison): string {
  if (drop === undefined || interval === undefined) return "unknown";
  const signed = (value: number): string =>
    `${value > 0 ? "-" : "+"}${(Math.abs(value) * 100).toFixed(1)}`;
  return `${signed(drop)} points (${signed(interval.high)} to ${signed(interval.low)})`;
}

/** How both sides are compared: in pairs, with what that leaves out, or why not in pairs. */
export function pairingTexts(of: PairingCounts): string {
  const { paired, cases, inPairs, withoutCase, withoutPartner, repeated } = of;
  if (paired) {
    const none = `${withoutCase.baseline} and ${withoutCase.candidate} turns that name no case`;
    const alone = `${withoutPartner.baseline} and ${withoutPartner.candidate} turns whose case has no partner`;
    const more = `${repeated.baseline} and ${repeated.candidate} turns more than their case has on the other side`;
    const left = [
      hasAny(withoutCase) ? none : [],
      hasAny(withoutPartner) ? alone : [],
      hasAny(repeated) ? more : [],
    ].flat();
    const pairs = cases === 1 ? "1 case in pairs" : `${cases} cases in pairs`;
    return left.length === 0 ? pairs : `${pairs}, without ${left.join(" and ")}`;
  }
  if (!hasAny(inPairs) && !hasAny(withoutPartner)) return "not in pairs: no turn names a case";
  const sizeOf = (side: keyof OfSides): number =>
    inPairs[side] + withoutCase[side] + withoutPartner[side];
  const share = (side: keyof OfSides): string => `${inPairs[side]} of ${sizeOf(side)}`;
  const others = hasAny(repeated)
    ? `, without ${repeated.baseline} and ${repeated.candidate} turns whose case has another turn`
    : "";
  return (
    "not in pairs: less than half of a side has a case that both sides have " +
    `(${share("baseline")} and ${share("candidate")} turns; ` +
    `${withoutCase.baseline} and ${withoutCase.candidate} name no case)${others}`
  );
}

function hasAny({ baseline, candidate }: OfSides): boolean {
  return baseline + candidate > 0;
}

/** pass^k of one side: how often k turns of a case all hold the contract. */
export function passTexts({ k, cases, value, low, high }: PassK): string {
  const what = k === 1 ? "a turn holds" : `all of ${k} turns hold`;
  if (value === undefined) return `${what}: unknown`;
  const open = low === high ? "" : `, ${percent(low)} to ${percent(high)} with unknown results`;
  return `${what}: ${percent(value)} (${cases} case${cases === 1 ? "" : "s"}${open})`;
}

/** What a comparison can find. */
function planWords(plan: GatePlan, tests: number): string {
  const { alpha, power, baselineViolated, smallestDrop, unknown } = plan;
  const taken =
    baselineViolated === undefined
      ? "no result of the baseline is known"
      : `baseline taken to violate ${percent(baselineViolated)}`;
  const open =
    unknown === undefined
      ? ""
      : `, with ${unknown.baseline} and ${unknown.candidate} turns not established`;
  const units = plan.cases === undefined ? "" : `, by ${plan.cases} cases as units`;
  const level = `${levelTexts(alpha, tests)}${units}, ${taken}${open}${unnamedTexts(plan)}`;
  return smallestDrop === undefined
    ? `no drop can be found with power ${percent(power)} (${level})`
    : `a drop of ${points(smallestDrop)} or more is found with power ${percent(power)} (${level})`;
}

/** Turns beside pairs that may weigh against an outcome. */
function unnamedTexts({ withoutCase }: Pick<GatePlan, "withoutCase">): string {
  if (withoutCase === undefined) return "";
  return `, with ${withoutCase.baseline} and ${withoutCase.candidate} turns that name no case`;
}

/** What a comparison of a measure can find. */
function growthPlanWords(plan: GrowthPlan, tests: number): string {
  const { alpha, power, allowedGrowth, smallestGrowth, unknown, ranges } = plan;
  const open =
    unknown === undefined
      ? ""
      : `, with ${unknown.baseline} and ${unknown.candidate} turns without a value`;
  const wide =
    ranges === undefined
      ? ""
      : `, with ${ranges.baseline} and ${ranges.candidate} values that are a range`;
  const level = `${levelTexts(alpha, tests)}, ${percent(allowedGrowth)} allowed${open}${unnamedTexts(plan)}${wide}`;
  return smallestGrowth === undefined
    ? `no growth can be found with power ${percent(power)} (${level})`
    : `growth of ${percent(smallestGrowth)} or more is found with power ${percent(power)} (${level})`;
}

/** The level of one test, which is a part of that of all tests together. */
function levelTexts(alpha: number, tests: number): string {
  const own = `level ${Number(alpha.toPrecision(2))}`;
  const together = Number((alpha * tests).toPrecision(6));
  return tests === 1 ? own : `${own}, which is ${together} split over ${tests} tests`;
}

/** What each contract and each measure can show, by name. */
export function planLines(plans: GatePlans): readonly (readonly [name: string, words: string])[] {
  const contracts = Object.entries(plans.contracts);
  const measures = Object.entries(plans.measures);
  const tests = contracts.length + measures.length;
  return [
    ...contracts.map(([name, plan]) => [name, planWords(plan, tests)] as const),
    ...(plans.notApplied ?? []).map(
      (name) => [name, "applies to 0 turns of both sides: nothing can be shown"] as const,
    ),
    ...measures.map(([name, plan]) => [name, growthPlanWords(plan, tests)] as const),
  ];
}

/** A measure with its unit, where that is another word. */
export function measureName({ name, unit }: Pick<MeasureComparison, "name" | "unit">): string {
  return name === unit ? name : `${name}, ${unit}`;
}

/** Median of a side. */
export function medianTexts(side: SideMeasure): string {
  const { median, medianInterval, medianRange, ranges = 0, known, unknown } = side;
  if (median === undefined) return `unknown (not recorded on any of ${unknown} turns)`;
  const bounds =
    medianInterval === undefined
      ? ""
      : `, ${figure(medianInterval.low)} to ${figure(medianInterval.high)}`;
  const open = unknown === 0 ? "" : `, ${unknown} unknown`;
  const wide = ranges === 0 ? "" : `, ${ranges} of them a range`;
  const what =
    medianRange === undefined
      ? figure(median)
      : `${figure(medianRange.low)} to ${figure(medianRange.high)}`;
  return `${what} (${known} turns${wide}${bounds}${open})`;
}

/** Measures that are not compared; undefined where all are. */
export function notRecordedTexts({
  notRecorded,
}: Pick<GateReport, "notRecorded">): string | undefined {
  if (notRecorded.length === 0) return undefined;
  return `Not recorded on either side, and not compared: ${notRecorded.join(", ")}.`;
}

/** A contract that applied to no turn, as a line of a list. */
export function notAppliedName(name: string): string {
  return `${name}: applied to 0 turns of both sides`;
}

/** The level of all intervals of a report. */
export function intervalTexts({ intervalLevel, alpha }: GateReport): string {
  const short = (share: number): number => Number((share * 100).toPrecision(4));
  return (
    `Intervals have ${short(intervalLevel)} % confidence (1 - 2 alpha), some by approximation. ` +
    `The outcomes rest on exact tests at the level ${alpha}.`
  );
}

/** A p-value. */
export function chance(p: number): string {
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}

function between({ low, high }: Interval): string {
  return `${percent(low)} to ${percent(high)}`;
}

function figure(value: number): string {
  return Number(value.toPrecision(4)).toString();
}
