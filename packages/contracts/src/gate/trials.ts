/** @module Trials: results of a contract over two sets of turns, by case. */
import { pairUp } from "./pairing.ts";
import type { PairingCounts, SharedCase } from "./pairing.ts";

/** Result of one contract on one turn. */
export type TrialResult = "holds" | "violated" | "not_established";

/** A turn in a comparison. Turns with one `caseId` did the same task. */
export type Trial = {
  readonly caseId?: string;
  readonly result: TrialResult;
};

/** Counts of one side of a case, turns without a result apart. */
export type TrialCount = {
  readonly holds: number;
  readonly violated: number;
  readonly unknown: number;
};

/** A case on both sides. */
export type CaseCount = { readonly baseline: TrialCount; readonly candidate: TrialCount };

/** How turns without a result are read: left out, or in the favour of one of the answers. */
export type UnknownReading = "established" | "worst" | "best";

/**
 * Which turns a test reads: `pairs` those in pairs, `bounded` in addition each turn without a case
 * as a case of which the other side has no result, `apart` all turns as one case. All three are one
 * where no comparison is in pairs, and the first two where each turn names its case.
 */
export type TrialView = "pairs" | "bounded" | "apart";

/** Both sides by case, as each view reads them. */
export type Pairing = {
  readonly counts: PairingCounts;
  readonly cases: Readonly<Record<TrialView, readonly CaseCount[]>>;
  /** Turns of the cases that the other side has not. */
  readonly alone: CaseCount;
  /** Turns that are left out because their case has others. */
  readonly repeats: CaseCount;
};

/** Groups both sides by case where they are compared in pairs; otherwise all turns are one case. */
export function pair(baseline: readonly Trial[], candidate: readonly Trial[]): Pairing {
  const { counts, shared, unnamed, ...others } = pairUp(baseline, candidate);
  const apart = [countedOf(others.apart)];
  const leftOut = { alone: countedOf(others.alone), repeats: countedOf(others.repeats) };
  if (!counts.paired) return { counts, ...leftOut, cases: { pairs: apart, bounded: apart, apart } };
  const pairs = shared.map(countedOf);
  const open = [
    ...unnamed.baseline.map((one) => ({ baseline: counted([one]), candidate: noResult })),
    ...unnamed.candidate.map((one) => ({ baseline: noResult, candidate: counted([one]) })),
  ];
  return { counts, ...leftOut, cases: { pairs, bounded: [...pairs, ...open], apart } };
}

const noResult: TrialCount = { holds: 0, violated: 0, unknown: 1 };

/** Counts as they are under a reading: `worst` and `best` are meant for the candidate. */
export function read({ baseline, candidate }: CaseCount, reading: UnknownReading): CaseCount {
  if (reading === "established") return { baseline: known(baseline), candidate: known(candidate) };
  const worst = reading === "worst";
  return {
    baseline: worst ? allHold(baseline) : allViolated(baseline),
    candidate: worst ? allViolated(candidate) : allHold(candidate),
  };
}

function known({ holds, violated }: TrialCount): TrialCount {
  return { holds, violated, unknown: 0 };
}

function allHold({ holds, violated, unknown }: TrialCount): TrialCount {
  return { holds: holds + unknown, violated, unknown: 0 };
}

function allViolated({ holds, violated, unknown }: TrialCount): TrialCount {
  return { holds, violated: violated + unknown, unknown: 0 };
}

function countedOf({ baseline, candidate }: SharedCase<Trial>): CaseCount {
  return { baseline: counted(baseline), candidate: counted(candidate) };
}

function counted(trials: readonly Trial[]): TrialCount {
  const count = (result: TrialResult): number =>
    trials.filter((trial) => trial.result === result).length;
  return {
    holds: count("holds"),
    violated: count("violated"),
    unknown: count("not_established"),
  };
}

/** Counts of one side over all cases. */
export function sumOf(cases: readonly CaseCount[], side: "baseline" | "candidate"): TrialCount {
  const sum = (key: keyof TrialCount): number =>
    cases.reduce((total, one) => total + one[side][key], 0);
  return { holds: sum("holds"), violated: sum("violated"), unknown: sum("unknown") };
}

/** Turns of a side, those without a result included. */
export function size({ holds, violated, unknown }: TrialCount): number {
  return holds + violated + unknown;
}
