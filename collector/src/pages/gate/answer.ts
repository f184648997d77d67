/** @module Answer: what a gate found, with the turns behind each of its figures. */
import { comparedTurns, gate, highOf, lowOf, planTogether, withShared } from "@turnproof/contracts";
import type { GatePlans, OfSides, Outcome, SharedReport } from "@turnproof/contracts";
import type { NullableIdentity } from "@turnproof/semconv";

import { gateSides } from "../../judge/gate-sides.ts";
import { measureTrials, measuredOf, trialsOf } from "../../judge/gate-turns.ts";
import type { SideTurn } from "../../judge/gate-turns.ts";
import { sides } from "./names.ts";

/** One turn behind a cell. */
export interface GateTurn extends NullableIdentity<"root_trace_id" | "turn_id"> {
  readonly contract: string;
  readonly side: "baseline" | "candidate";
  readonly result: Outcome;
  /** False for a turn that the comparison leaves out, as one that has no partner in pairs. */
  readonly compared: boolean;
}

/** The value of a measure of one turn. */
export interface GateValue extends NullableIdentity<"root_trace_id" | "turn_id"> {
  readonly measure: string;
  readonly side: "baseline" | "candidate";
  /** Ends of the value: equal where it is exact, null where it is not recorded. */
  readonly low: number | null;
  readonly high: number | null;
  /** False for a turn that the comparison leaves out. */
  readonly compared: boolean;
}

/** What was compared. */
export interface GateAnswer {
  readonly report: SharedReport;
  /** What the sizes and the baseline can show, worked out without the candidate's results. */
  readonly plans: GatePlans;
  readonly turns: readonly GateTurn[];
  /** Values of the measures of the report, those of a side together, the largest first. */
  readonly values: readonly GateValue[];
  /** Sides of which further turns match. */
  readonly bounded: readonly ("baseline" | "candidate")[];
}

/** Turns of a side; `more` where further ones match. */
interface Side {
  readonly turns: readonly SideTurn[];
  readonly more: boolean;
}

/** The turns of both sides that are compared. */
type BothSides = Readonly<Record<keyof OfSides, readonly SideTurn[]>>;

/**
 * Compares both sides.
 *
 * @throws CodedError `sides_overlap` where every turn of the baseline is one of the candidate
 */
export function answerOf(
  baseline: Side,
  candidate: Side,
  how: { readonly contracts: readonly string[]; readonly required: readonly string[] },
): GateAnswer {
  const { shared, ...both } = gateSides(baseline.turns, candidate.turns);
  const trials = trialsOf(how.contracts, both.baseline, both.candidate);
  const measures = measureTrials(both.baseline, both.candidate);
  const report = withShared(gate(trials, measures, { required: how.required }), shared);
  const more = { baseline: baseline.more, candidate: candidate.more };
  return {
    report,
    plans: planTogether(trials, measures),
    turns: trials.flatMap(({ name }) => resultsOf(name, both)),
    values: report.measures.flatMap(({ name }) => valuesOf(name, both)),
    bounded: sides.filter((side) => more[side]),
  };
}

/** Results of a contract, those of a side together. */
function resultsOf(contract: string, both: BothSides): GateTurn[] {
  const having = (turns: readonly SideTurn[]): readonly SideTurn[] =>
    turns.filter(({ results }) => results.some((one) => one.contract === contract));
  const own = { baseline: having(both.baseline), candidate: having(both.candidate) };
  const isCompared = comparedIn(own);
  return sides.flatMap((side) =>
    own[side].flatMap((one) =>
      one.results
        .filter((result) => result.contract === contract)
        .map(({ result }): GateTurn => ({
          contract,
          side,
          result,
          compared: isCompared(one),
          ...idOf(one),
        })),
    ),
  );
}

/** Values of a measure, those of a side together, the largest first. */
function valuesOf(measure: string, both: BothSides): GateValue[] {
  const isCompared = comparedIn(both);
  return sides.flatMap((side) =>
    both[side]
      .map((one): GateValue => {
        const value = measuredOf(one, measure);
        const low = value === undefined ? null : lowOf(value);
        const high = value === undefined ? null : highOf(value);
        return { measure, side, low, high, compared: isCompared(one), ...idOf(one) };
      })
      .toSorted((a, b) => (b.high ?? -1) - (a.high ?? -1)),
  );
}

/** Whether a turn is compared, of these turns of both sides. */
function comparedIn({ baseline, candidate }: BothSides): (turn: SideTurn) => boolean {
  const compared = comparedTurns(baseline, candidate);
  const all = new Set([...compared.baseline, ...compared.candidate]);
  return (turn) => all.has(turn);
}

function idOf({
  turn: { root_trace_id, turn_id },
}: SideTurn): NullableIdentity<"root_trace_id" | "turn_id"> {
  return { root_trace_id, turn_id };
}
