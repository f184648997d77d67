/**
 * @module The gate: whether a candidate is worse than a baseline, over several contracts and
 * measures. Three outcomes: `regressed`, `no_regression`, `not_enough_evidence`. An outcome is
 * given only where it holds whatever the turns without a result would have shown.
 */
import { appliedOf, notAppliedWarning, outcomeOfNone } from "./applied.ts";
import { exactRegression } from "./exact-test.ts";
import { isCleared } from "./clearance.ts";
import { pairedRegression } from "./sign-test.ts";
import { drop, dropInterval, shareInterval } from "./intervals.ts";
import type {
  ContractComparison,
  ContractTrials,
  GateOutcome,
  GateReport,
  GateSettings,
  MeasureComparison,
  MeasureTrials,
  SideShare,
} from "./gate-report.ts";
import { measurePart, openWords, requiredWords, takesPart } from "./measure-part.ts";
import { describe, isRecorded } from "./measures.ts";
import { outcomesOf } from "./outcomes.ts";
import { comparedTurns } from "./pairing.ts";
import type { TestedPart } from "./outcomes.ts";
import { passK } from "./pass-k.ts";
import { pair, read, size, sumOf } from "./trials.ts";
import type { CaseCount, Pairing, UnknownReading, TrialCount, TrialView } from "./trials.ts";

/** Compares both sides. A measure that neither has is named, and is no part of the tests. */
export function gate(
  all: readonly ContractTrials[],
  every: readonly MeasureTrials[],
  settings: GateSettings = {},
): GateReport {
  const { contracts, notApplied } = appliedOf(all);
  const measures = every.filter(isRecorded);
  const { alpha = 0.05, allowedDrop = 0.05, allowedGrowth = 0.1, required = [] } = settings;
  const pairings = contracts.map((one) => pair(one.baseline, one.candidate));
  const parts = measures.map((one) => measurePart(one, { alpha, allowedGrowth }));
  const outcomes = outcomesOf(
    [...pairings.map((one) => contractPart(one, { alpha, allowedDrop })), ...parts],
    alpha,
  );
  const none = { adjustedP: 1, outcome: "not_enough_evidence" } as const;
  const ofContracts = pairings.map((pairing, at): ContractComparison => ({
    name: contracts[at]?.name ?? "",
    ...comparison(pairing, 1 - 2 * alpha, settings.k),
    p: regression(pairing.cases.pairs, pairing.counts.paired),
    ...(outcomes[at] ?? none),
  }));
  const ofMeasures = measures.map((one, at): MeasureComparison => {
    const { counts, worse } = parts[at] ?? measurePart(one, { alpha, allowedGrowth });
    const found = outcomes[contracts.length + at] ?? none;
    return {
      ...counts,
      ...bothMedians(one, 1 - 2 * alpha),
      allowedGrowth,
      p: worse("pairs", "established"),
      ...found,
      decides: takesPart(one, found.outcome, { alpha, allowedGrowth, required }),
    };
  });
  const compared = new Set([...contracts, ...measures].map(({ name }) => name));
  const notRecorded = every.filter((one) => !isRecorded(one)).map(({ name }) => name);
  const warnings = [
    ...notApplied.map(notAppliedWarning),
    ...pairings.flatMap((pairing, at) => leftOutTexts(contracts[at]?.name ?? "", pairing)),
    ...notRecorded.filter((name) => required.includes(name)).map(requiredWords),
    ...ofMeasures.filter(({ decides }) => !decides).map(({ name }) => openWords(name)),
  ];
  return {
    outcome: together([
      ...ofContracts.map((one) => one.outcome),
      ...ofMeasures.filter(({ decides }) => decides).map((one) => one.outcome),
      ...outcomeOfNone(contracts, notApplied),
      // What is required and was not compared decides nothing.
      ...required.filter((name) => !compared.has(name)).map(() => none.outcome),
    ]),
    alpha,
    allowedDrop,
    intervalLevel: Number((1 - 2 * alpha).toPrecision(12)),
    contracts: ofContracts,
    notApplied,
    measures: ofMeasures,
    notRecorded,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

function contractPart(
  { counts, cases }: Pairing,
  { alpha, allowedDrop }: { readonly alpha: number; readonly allowedDrop: number },
): TestedPart {
  const of = (view: TrialView, reading: UnknownReading): readonly CaseCount[] =>
    cases[view].map((one) => read(one, reading));
  return {
    counts,
    worse: (view, reading) => regression(of(view, reading), counts.paired && view !== "apart"),
    isClear: (view, reading) => {
      const paired = counts.paired && view !== "apart";
      return isCleared(of(view, reading), { drop: allowedDrop, alpha }, paired);
    },
  };
}

/** p-value of "the candidate is not worse": of pairs by case, otherwise of all turns. */
function regression(cases: readonly CaseCount[], paired: boolean): number {
  if (paired) return pairedRegression(cases);
  return exactRegression({
    baseline: sumOf(cases, "baseline"),
    candidate: sumOf(cases, "candidate"),
  });
}

/** Violations among the turns that a comparison leaves out, each kind in a sentence. */
function leftOutTexts(name: string, { counts, alone, repeats }: Pairing): string[] {
  const further = counts.paired
    ? "beyond those of their case on the other side"
    : "of a case after its first";
  const kinds = [
    ...(counts.paired ? [["of cases that one side has not", alone] as const] : []),
    [further, repeats] as const,
  ];
  return kinds
    .filter(([, { baseline, candidate }]) => baseline.violated + candidate.violated > 0)
    .map(
      ([which, { baseline, candidate }]) =>
        `${name} is compared without the turns ${which}: ${baseline.violated} of ` +
        `${size(baseline)} such turns of the baseline violate it, and ` +
        `${candidate.violated} of ${size(candidate)} of the candidate.`,
    );
}

/** Both sides of a measure, by the turns that are compared. */
function bothMedians(
  { name, unit, ...sides }: MeasureTrials,
  level: number,
): Pick<MeasureComparison, "name" | "unit" | "baseline" | "candidate"> {
  const { baseline, candidate } = comparedTurns(sides.baseline, sides.candidate);
  return {
    name,
    unit,
    baseline: describe(baseline, level),
    candidate: describe(candidate, level),
  };
}

/** Worst outcome of all; nothing compared is not enough evidence. */
function together(outcomes: readonly GateOutcome[]): GateOutcome {
  if (outcomes.includes("regressed")) return "regressed";
  const all = outcomes.length > 0 && outcomes.every((one) => one === "no_regression");
  return all ? "no_regression" : "not_enough_evidence";
}

function comparison(
  pairing: Pairing,
  level: number,
  wanted: number | undefined,
): Omit<ContractComparison, "name" | "p" | "adjustedP" | "outcome"> {
  const { counts, cases: own } = pairing;
  const cases = own.pairs.map((one) => read(one, "established"));
  const lost = drop(cases);
  const interval = dropInterval(cases, level, counts.paired);
  const fewest = Math.min(...own.pairs.flatMap((one) => [size(one.baseline), size(one.candidate)]));
  const k = wanted ?? Math.max(1, Math.min(10, counts.paired ? fewest : 1));
  return {
    ...counts,
    baseline: sideOf(sumOf(own.pairs, "baseline"), level),
    candidate: sideOf(sumOf(own.pairs, "candidate"), level),
    passK: {
      baseline: passK(own.pairs, "baseline", k),
      candidate: passK(own.pairs, "candidate", k),
    },
    ...(lost === undefined ? {} : { drop: lost }),
    ...(interval === undefined ? {} : { dropInterval: interval }),
  };
}

function sideOf(count: TrialCount, level: number): SideShare {
  const known = count.holds + count.violated;
  const interval = shareInterval(count.holds, known, level);
  return interval === undefined ? count : { ...count, share: count.holds / known, interval };
}
