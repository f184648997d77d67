/** @module Pairing: which turns of both sides are compared in pairs, by the cases that they name. */

/** A number of each side. */
export type OfSides = { readonly baseline: number; readonly candidate: number };

/** How the turns of both sides pair up. */
export type PairingCounts = {
  /** At least half of the turns of each side are in pairs. */
  readonly paired: boolean;
  /** Compared cases: those with turns on both sides, or 1 where all turns are one case. */
  readonly cases: number;
  /** Turns whose case has turns on both sides. */
  readonly inPairs: OfSides;
  /** Turns that name no case; left out of a comparison in pairs. */
  readonly withoutCase: OfSides;
  /** Turns whose case has no turn on the other side; left out of a comparison in pairs. */
  readonly withoutPartner: OfSides;
  /** Turns whose case has another turn on their side; left out of a comparison without pairs. */
  readonly repeated: OfSides;
};

/** What may name its case. */
type Named = { readonly caseId?: string };

/** The turns of each case that both sides have. */
export type SharedCase<T> = { readonly baseline: readonly T[]; readonly candidate: readonly T[] };

/** Cases of both sides, and the turns that name none. */
export type PairedUp<T> = {
  readonly counts: PairingCounts;
  readonly shared: readonly SharedCase<T>[];
  readonly unnamed: SharedCase<T>;
  /** The turns of both sides without pairs: each one, or the first of each case where none pair. */
  readonly apart: SharedCase<T>;
  /** The turns that the comparison reads. */
  readonly compared: SharedCase<T>;
};

/**
 * Groups both sides by case. The sides are compared in pairs where at least half of the turns of
 * each have a case that both have. Otherwise the first turn of each case stands for it, because
 * turns of one case may have a state in common. What a turn shows has no part in either choice.
 */
export function pairUp<T extends Named>(
  baseline: readonly T[],
  candidate: readonly T[],
): PairedUp<T> {
  const [left, right] = [byCase(baseline), byCase(candidate)];
  const shared = [...left].flatMap(([id, before]) => {
    const after = right.get(id);
    return after === undefined ? [] : [{ baseline: before, candidate: after }];
  });
  const unnamed = { baseline: withoutCase(baseline), candidate: withoutCase(candidate) };
  const inPairs = {
    baseline: shared.reduce((sum, one) => sum + one.baseline.length, 0),
    candidate: shared.reduce((sum, one) => sum + one.candidate.length, 0),
  };
  const isMost = (some: number, all: number): boolean => all > 0 && some * 2 >= all;
  const paired =
    isMost(inPairs.baseline, baseline.length) && isMost(inPairs.candidate, candidate.length);
  const apart = paired
    ? { baseline, candidate }
    : { baseline: firstOfEach(baseline), candidate: firstOfEach(candidate) };
  const nameless = { baseline: unnamed.baseline.length, candidate: unnamed.candidate.length };
  const counts = {
    paired,
    cases: paired ? shared.length : 1,
    inPairs,
    withoutCase: nameless,
    withoutPartner: {
      baseline: baseline.length - inPairs.baseline - nameless.baseline,
      candidate: candidate.length - inPairs.candidate - nameless.candidate,
    },
    repeated: {
      baseline: baseline.length - apart.baseline.length,
      candidate: candidate.length - apart.candidate.length,
    },
  };
  const pairs = {
    baseline: shared.flatMap((one) => one.baseline),
    candidate: shared.flatMap((one) => one.candidate),
  };
  return { counts, shared, unnamed, apart, compared: paired ? pairs : apart };
}

/** The turns that a comparison reads: those in pairs, or where there are none, one of each case. */
export function comparedTurns<T extends Named>(
  baseline: readonly T[],
  candidate: readonly T[],
): SharedCase<T> {
  return pairUp(baseline, candidate).compared;
}

/** Groups by case; what names none is left out. */
export function byCase<T extends Named>(side: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const cases = new Map<string, T[]>();
  for (const one of side) {
    if (one.caseId === undefined) continue;
    const some = cases.get(one.caseId);
    if (some === undefined) cases.set(one.caseId, [one]);
    else some.push(one);
  }
  return cases;
}

function firstOfEach<T extends Named>(side: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return side.filter(({ caseId }) => {
    if (caseId === undefined) return true;
    const isFirst = !seen.has(caseId);
    seen.add(caseId);
    return isFirst;
  });
}

function withoutCase<T extends Named>(side: readonly T[]): readonly T[] {
  return side.filter(({ caseId }) => caseId === undefined);
}
