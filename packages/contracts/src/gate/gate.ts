/**
 * @module The gate: whether a candidate is worse than a baseline, over several contracts and
 * measures. Three outcomes: `regressed`, `no_regression`, `not_enough_evidence`. An outcome is
 * given only where it holds whatever the turns without a result would have shown.
 */
import { exactRegression } from "./exact-test.ts";
import { holm } from "./holm.ts";
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
import { casesPair, describe, growthTest, isRecorded } from "./measures.ts";
import type { GrowthTest } from "./measures.ts";
import { passK } from "./pass-k.ts";
import { pair, read, size, sumOf } from "./trials.ts";
import type { CaseCount, Pairing, UnknownReading, TrialCount } from "./trials.ts";

/** Compares both sides. A measure that neither has is named, and is no part of the tests. */
export function gate(
  contracts: readonly ContractTrials[],
  every: readonly MeasureTrials[],
  settings: GateSettings = {},
): GateReport {
  const measures = every.filter(isRecorded);
  const { alpha = 0.05, allowedDrop = 0.05, allowedGrowth = 0.1 } = settings;
  const pairings = contracts.map((one) => pair(one.baseline, one.candidate));
  const pairedMeasures = measures.map((one) => casesPair(one.baseline, one.candidate));
  const adjusted = (reading: UnknownReading): readonly number[] =>
    holm([
      ...pairings.map(({ cases }) => exactRegression(cases.map((one) => read(one, reading)))),
      ...measures.map(
        (one, at) => tested(one, pairedMeasures[at] ?? false, allowedGrowth, reading).grew,
      ),
    ]);
  const [found, bounded] = [adjusted("established"), adjusted("best")];
  const worse = (at: number): boolean => (found[at] ?? 1) <= alpha && (bounded[at] ?? 1) <= alpha;
  const ofContracts = contracts.map(({ name }, at): ContractComparison => {
    const pairing = pairings[at] ?? pair([], []);
    const clear = (["established", "worst"] as const).every((reading) =>
      within(
        pairing.cases.map((one) => read(one, reading)),
        allowedDrop,
        alpha,
      ),
    );
    return {
      name,
      ...comparison(pairing, 1 - 2 * alpha, settings.k),
      p: exactRegression(pairing.cases),
      adjustedP: found[at] ?? 1,
      outcome: outcomeOf(clear, worse(at)),
    };
  });
  const ofMeasures = measures.map((one, index): MeasureComparison => {
    const at = contracts.length + index;
    const paired = pairedMeasures[index] ?? false;
    const clear = (["established", "worst"] as const).every(
      (reading) => tested(one, paired, allowedGrowth, reading).didNotGrow <= alpha,
    );
    return {
      name: one.name,
      unit: one.unit,
      paired,
      allowedGrowth,
      baseline: describe(one.baseline, 1 - 2 * alpha),
      candidate: describe(one.candidate, 1 - 2 * alpha),
      p: tested(one, paired, allowedGrowth, "established").grew,
      adjustedP: found[at] ?? 1,
      outcome: outcomeOf(clear, worse(at)),
    };
  });
  const outcome = together([...ofContracts, ...ofMeasures].map((one) => one.outcome));
  return {
    outcome,
    alpha,
    allowedDrop,
    contracts: ofContracts,
    measures: ofMeasures,
    notRecorded: every.filter((one) => !isRecorded(one)).map(({ name }) => name),
  };
}

/** Worst outcome of all; nothing compared is not enough evidence. */
function together(outcomes: readonly GateOutcome[]): GateOutcome {
  if (outcomes.includes("regressed")) return "regressed";
  const all = outcomes.length > 0 && outcomes.every((one) => one === "no_regression");
  return all ? "no_regression" : "not_enough_evidence";
}

function outcomeOf(clear: boolean, worse: boolean): GateOutcome {
  if (clear) return "no_regression";
  return worse ? "regressed" : "not_enough_evidence";
}

function within(cases: readonly CaseCount[], allowed: number, alpha: number): boolean {
  const interval = dropInterval(cases, 1 - 2 * alpha);
  return interval !== undefined && interval.high <= allowed;
}

function comparison(
  pairing: Pairing,
  level: number,
  wanted: number | undefined,
): Omit<ContractComparison, "name" | "p" | "adjustedP" | "outcome"> {
  const cases = pairing.cases.map((one) => read(one, "established"));
  const lost = drop(cases);
  const interval = dropInterval(cases, level);
  const fewest = Math.min(
    ...pairing.cases.flatMap((one) => [size(one.baseline), size(one.candidate)]),
  );
  const k = wanted ?? Math.max(1, Math.min(10, pairing.paired ? fewest : 1));
  return {
    paired: pairing.paired,
    cases: pairing.cases.length,
    leftOut: pairing.leftOut,
    baseline: sideOf(sumOf(pairing.cases, "baseline"), level),
    candidate: sideOf(sumOf(pairing.cases, "candidate"), level),
    passK: {
      baseline: passK(pairing.cases, "baseline", k),
      candidate: passK(pairing.cases, "candidate", k),
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

function tested(
  { baseline, candidate }: MeasureTrials,
  paired: boolean,
  margin: number,
  reading: UnknownReading,
): GrowthTest {
  return growthTest(baseline, candidate, { margin, paired, reading });
}
