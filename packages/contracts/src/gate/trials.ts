/** @module Trials: results of a contract over two sets of turns, by case. */

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

/** Both sides, by case where the cases pair up and as one case otherwise. */
export type Pairing = {
  readonly paired: boolean;
  /** Paired: cases that have turns on both sides. Otherwise one case with all turns. */
  readonly cases: readonly CaseCount[];
  /** Turns that take no part because their case has no turn on the other side. */
  readonly leftOut: { readonly baseline: number; readonly candidate: number };
};

/**
 * Groups both sides by case. Cases pair up where each turn names its case and at least half of all
 * turns have a partner; otherwise all turns are one case.
 */
export function pair(baseline: readonly Trial[], candidate: readonly Trial[]): Pairing {
  const all = [...baseline, ...candidate];
  if (all.length > 0 && all.every(({ caseId }) => caseId !== undefined)) {
    const left = byCase(baseline);
    const right = byCase(candidate);
    const shared = [...left.keys()].filter((id) => right.has(id));
    const cases = shared.map((id) => ({
      baseline: counted(left.get(id) ?? []),
      candidate: counted(right.get(id) ?? []),
    }));
    const kept = (side: ReadonlyMap<string, readonly Trial[]>): number =>
      shared.reduce((sum, id) => sum + (side.get(id)?.length ?? 0), 0);
    const leftOut = {
      baseline: baseline.length - kept(left),
      candidate: candidate.length - kept(right),
    };
    if ((leftOut.baseline + leftOut.candidate) * 2 <= all.length) {
      return { paired: true, cases, leftOut };
    }
  }
  return {
    paired: false,
    cases: [{ baseline: counted(baseline), candidate: counted(candidate) }],
    leftOut: { baseline: 0, candidate: 0 },
  };
}

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

/** Groups by case; what names none is one group under the empty text. */
export function byCase<T extends { readonly caseId?: string }>(
  side: readonly T[],
): ReadonlyMap<string, readonly T[]> {
  const cases = new Map<string, T[]>();
  for (const one of side) {
    const id = one.caseId ?? "";
    const some = cases.get(id);
    if (some === undefined) cases.set(id, [one]);
    else some.push(one);
  }
  return cases;
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
