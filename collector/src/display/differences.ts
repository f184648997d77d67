/**
 * @module Differences: what some turns say more often than others: counts and shares of both, and
 * nothing beyond counts. A share is of all turns of its side, also of those that do not say a
 * value, whose number stands beside.
 */
import type { TurnRow } from "@turnproof/evidence";

import { facetKeys, rowKey } from "./turn-figures.ts";

/** One value of a key of the filter bar, and how many turns of either side say it. */
export interface Difference {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly these: number;
  readonly others: number;
}

/** How many turns of either side say no value of a key. */
export interface Unsaid {
  readonly key: string;
  readonly name: string;
  readonly these: number;
  readonly others: number;
}

/** Both sides compared. */
export interface Differences {
  readonly these: number;
  readonly others: number;
  /** Values that a greater share of these turns say, the greatest difference first. */
  readonly values: readonly Difference[];
  /** Keys of which some turn says no value. */
  readonly unsaid: readonly Unsaid[];
}

const valuesMax = 40;

/** Compares turns with all others of a window; turns that are on both sides are these. */
export function differencesOf(these: readonly TurnRow[], window: readonly TurnRow[]): Differences {
  const chosen = new Set(these.map(rowKey));
  const others = window.filter((row) => !chosen.has(rowKey(row)));
  const values: Difference[] = [];
  const unsaid: Unsaid[] = [];
  for (const [key, name, valuesOf] of facetKeys) {
    const left = count(these, valuesOf);
    const right = count(others, valuesOf);
    if (left.unsaid + right.unsaid > 0) {
      unsaid.push({ key, name, these: left.unsaid, others: right.unsaid });
    }
    for (const [value, found] of left.counts) {
      const beside = right.counts.get(value) ?? 0;
      values.push({ key, name, value, these: found, others: beside });
    }
  }
  const more = (of: Difference): number =>
    shareOf(of.these, these.length) - shareOf(of.others, others.length);
  return {
    these: these.length,
    others: others.length,
    values: values
      .filter((one) => more(one) > 0)
      .toSorted((a, b) => more(b) - more(a) || b.these - a.these || (a.value < b.value ? -1 : 1))
      .slice(0, valuesMax),
    unsaid,
  };
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function count(
  rows: readonly TurnRow[],
  valuesOf: (row: TurnRow) => readonly string[],
): { readonly counts: ReadonlyMap<string, number>; readonly unsaid: number } {
  const counts = new Map<string, number>();
  let unsaid = 0;
  for (const row of rows) {
    const values = new Set(valuesOf(row));
    if (values.size === 0) unsaid += 1;
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return { counts, unsaid };
}
