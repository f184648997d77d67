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
};

/**
 * Groups both sides by case. The sides are compared in pairs where at least half of the turns of
 * each have a case that both have. What a turn shows has no part in this.
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
  };
  return { counts, shared, unnamed };
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

function withoutCase<T extends Named>(side: readonly T[]): readonly T[] {
  return side.filter(({ caseId }) => caseId === undefined);
}
