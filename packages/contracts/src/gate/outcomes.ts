/**
 * @module Outcomes: what the tests of all contracts and measures show together. An outcome of pairs
 * leaves out the turns that name no case. Which ones these are may depend on how they came out, so
 * it stands only where they cannot turn it: whatever a partner of each would have shown, or because
 * all turns, compared without pairs, have the same outcome.
 */
import type { GateOutcome } from "./gate-report.ts";
import { holm } from "./holm.ts";
import type { PairingCounts } from "./pairing.ts";
import type { UnknownReading, TrialView } from "./trials.ts";

/** A contract or a measure on both sides. */
export interface TestedPart {
  readonly counts: PairingCounts;
  /** p-value of "the candidate is not worse". */
  readonly worse: (view: TrialView, reading: UnknownReading) => number;
  /** Whether the candidate is within what is allowed. */
  readonly isClear: (view: TrialView, reading: UnknownReading) => boolean;
}

/** An outcome, with its p-value after Holm's correction. */
export interface Tested {
  readonly adjustedP: number;
  readonly outcome: GateOutcome;
}

/** The outcomes of what is tested together. */
export function outcomesOf(compared: readonly TestedPart[], alpha: number): readonly Tested[] {
  const adjusted = (view: TrialView, reading: UnknownReading): readonly number[] =>
    holm(compared.map(({ worse }) => worse(view, reading)));
  const found = adjusted("pairs", "established");
  const hasOpen = compared.some(({ counts }) => openOf(counts));
  const tests = {
    pairs: [found, adjusted("pairs", "best")],
    bounded: hasOpen ? [adjusted("bounded", "best")] : [],
    apart: hasOpen ? [adjusted("apart", "established"), adjusted("apart", "best")] : [],
  };
  return compared.map(({ counts, isClear }, at): Tested => {
    const worse = (view: TrialView): boolean => tests[view].every((all) => (all[at] ?? 1) <= alpha);
    const clear = (view: TrialView): boolean =>
      isClear(view, "established") && isClear(view, "worst");
    const stands = (holds: (view: TrialView) => boolean): boolean =>
      holds("pairs") && (!openOf(counts) || holds("bounded") || holds("apart"));
    const outcome = stands(clear)
      ? "no_regression"
      : stands(worse)
        ? "regressed"
        : "not_enough_evidence";
    return { adjustedP: found[at] ?? 1, outcome };
  });
}

/** True where pairs leave out turns that name no case. */
function openOf({ paired, withoutCase }: PairingCounts): boolean {
  return paired && withoutCase.baseline + withoutCase.candidate > 0;
}
