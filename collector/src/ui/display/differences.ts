/**
 * @module Differences: values that are more frequent in some turns than in others: counts and
 * shares of both, and whether chance alone explains the difference. A share is of all turns of its
 * side, including those without a value, whose number is shown as well.
 */

/** Chance of one wrongly named value among all that were compared. */
export const differenceLevel = 0.05;

/** Keys whose values are results of a turn; those of the others are known while it runs. */
const resultKeys: ReadonlySet<string> = new Set([
  "verdict",
  "status",
  "finding",
  "insight",
  "contract",
]);

/** What a key describes: how a turn ended, or what it was. */
export type DifferenceKind = "origin" | "result";

/** The kind of a key. */
export const kindOf = (key: string): DifferenceKind => (resultKeys.has(key) ? "result" : "origin");

/** One value of a key of the filter bar, and the number of turns with it on either side. */
export interface Difference {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** A result often follows from the filter itself; an origin may lead to the cause. */
  readonly kind: DifferenceKind;
  readonly these: number;
  readonly others: number;
  /** Share of these minus share of the others, from -1 to 1, and its 95 % interval. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** p-value of "not more frequent in these turns", corrected for every compared value. */
  readonly p: number;
  /** True where the corrected p-value is at most 0.05. */
  readonly significant: boolean;
}

/** Number of turns without a value of a key, on either side. */
export interface Unrecorded {
  readonly key: string;
  readonly name: string;
  readonly these: number;
  readonly others: number;
}

/** Both sides compared. */
export interface Differences {
  readonly these: number;
  readonly others: number;
  /**
   * Values with a greater share in these turns: significant ones first, of them origins before
   * results, the greatest difference first.
   */
  readonly values: readonly Difference[];
  /** Number of values that were compared and tested. */
  readonly tested: number;
  /** Keys that some turn has no value of. */
  readonly unrecorded: readonly Unrecorded[];
  /** Names of keys with more values than were compared: only their most frequent ones were. */
  readonly cut: readonly string[];
}

/** Turns of one side, counted by the values of a key. */
export interface SideCounts {
  readonly turns: number;
  readonly keys: readonly {
    readonly key: string;
    readonly counts: ReadonlyMap<string, number>;
    /** Turns without a value. */
    readonly unrecorded: number;
    readonly total: number;
  }[];
}
