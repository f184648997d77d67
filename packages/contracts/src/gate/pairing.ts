/**
 * @module Pairing: which turns of both sides are compared in pairs, by the cases that they name.
 */

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
  /**
   * Left out, because of each case both sides have as many turns in pairs, and without pairs one.
   */
  readonly repeated: OfSides;
};

/** What may name its case. */
type Named = { readonly caseId?: string };

/** Turns of both sides, of one case or of all. */
export type SharedCase<T> = { readonly baseline: readonly T[]; readonly candidate: readonly T[] };

/** Cases of both sides, and the turns that name none. */
export type PairedUp<T> = {
  readonly counts: PairingCounts;
  readonly shared: readonly SharedCase<T>[];
  readonly unnamed: SharedCase<T>;
  /** Turns that name a case which the other side has not. */
  readonly alone: SharedCase<T>;
  /** Turns that are left out because their case has others. */
  readonly repeats: SharedCase<T>;
  /** The turns of both sides without pairs: each one, or the first of each case where none pair. */
  readonly apart: SharedCase<T>;
  /** The turns that the comparison reads. */
  readonly compared: SharedCase<T>;
};

/**
 * Groups both sides by case, without regard to the results of the turns.
 *
 * In pairs, where at least half of the turns of each side have a case that both sides have: of each
 * such case the first turns, as many of both sides. With unlike numbers, the side with more turns
 * has a rare violation in more cases by chance.
 *
 * Without pairs: the first turn of each case, because the results of turns of one case may depend
 * on each other.
 */
export function pairUp<T extends Named>(
  baseline: readonly T[],
  candidate: readonly T[],
): PairedUp<T> {
  const [left, right] = [byCase(baseline), byCase(candidate)];
  const both = [...left].flatMap(([id, before]) => {
    const after = right.get(id);
    return after === undefined ? [] : [{ baseline: before, candidate: after }];
  });
  const unnamed = { baseline: withoutCase(baseline), candidate: withoutCase(candidate) };
  const alone = { baseline: aloneOf(left, right), candidate: aloneOf(right, left) };
  const inPairs = sizesOf(flat(both));
  const isMost = (some: number, all: number): boolean => all > 0 && some * 2 >= all;
  const paired =
    isMost(inPairs.baseline, baseline.length) && isMost(inPairs.candidate, candidate.length);
  const shared = both.map(asMany);
  const apart = paired
    ? { baseline, candidate }
    : { baseline: firstOfEach(baseline), candidate: firstOfEach(candidate) };
  const compared = paired ? flat(shared) : apart;
  const repeats = paired
    ? flat(both.map(furtherOf))
    : { baseline: furtherOfEach(baseline), candidate: furtherOfEach(candidate) };
  const counts = {
    paired,
    cases: paired ? shared.length : 1,
    inPairs,
    withoutCase: sizesOf(unnamed),
    withoutPartner: sizesOf(alone),
    repeated: sizesOf(repeats),
  };
  return { counts, shared, unnamed, alone, repeats, apart, compared };
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

/** The first turns of a case, as many of both sides. */
function asMany<T>({ baseline, candidate }: SharedCase<T>): SharedCase<T> {
  const size = Math.min(baseline.length, candidate.length);
  return { baseline: baseline.slice(0, size), candidate: candidate.slice(0, size) };
}

/** The turns of a case beyond those. */
function furtherOf<T>({ baseline, candidate }: SharedCase<T>): SharedCase<T> {
  const size = Math.min(baseline.length, candidate.length);
  return { baseline: baseline.slice(size), candidate: candidate.slice(size) };
}

function flat<T>(cases: readonly SharedCase<T>[]): SharedCase<T> {
  return {
    baseline: cases.flatMap((one) => one.baseline),
    candidate: cases.flatMap((one) => one.candidate),
  };
}

function sizesOf({ baseline, candidate }: SharedCase<unknown>): OfSides {
  return { baseline: baseline.length, candidate: candidate.length };
}

/** Turns of the cases that the other side has not. */
function aloneOf<T>(
  own: ReadonlyMap<string, readonly T[]>,
  others: ReadonlyMap<string, unknown>,
): readonly T[] {
  return [...own].flatMap(([id, turns]) => (others.has(id) ? [] : turns));
}

/** Turns without a case, and the first one of each case. */
function firstOfEach<T extends Named>(side: readonly T[]): readonly T[] {
  return [...withoutCase(side), ...[...byCase(side).values()].flatMap(([first]) => first ?? [])];
}

function furtherOfEach<T extends Named>(side: readonly T[]): readonly T[] {
  return [...byCase(side).values()].flatMap(([, ...others]) => others);
}

function withoutCase<T extends Named>(side: readonly T[]): readonly T[] {
  return side.filter(({ caseId }) => caseId === undefined);
}
