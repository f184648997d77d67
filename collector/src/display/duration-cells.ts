/**
 * @module DurationCells: how long turns took, over time: a column for each stretch of time, in it a
 * count for each class of durations, and what is unknown counted beside. Classes are as wide as
 * durations differ: each is a fixed factor of the one below.
 */
import type { TurnRow } from "@turnproof/evidence";

import { binned, lastedMs, quantile } from "./turn-figures.ts";

/** Turns of one stretch of time; times are epoch milliseconds, durations milliseconds. */
export interface DurationColumn {
  readonly fromMs: number;
  readonly toMs: number;
  readonly turns: number;
  /** Of these, how many have a duration that nobody knows. */
  readonly unknown: number;
  /** Turns by class, the shortest first. */
  readonly counts: readonly number[];
  readonly p50: number | null;
  readonly p95: number | null;
}

/** All columns, and the durations at which each class begins. */
export interface DurationCells {
  readonly columns: readonly DurationColumn[];
  readonly fromMs: readonly number[];
  /** Where the longest class ends. */
  readonly toMs: number;
}

/** One turn at its time; null is an unknown duration. */
export interface Lasting {
  readonly atMs: number;
  readonly durationMs: number | null;
}

const classesMax = 10;
/** Factors of one class, the finest that fits; a half of an order of magnitude at the coarsest. */
const factors = [10 ** (1 / 8), 10 ** (1 / 4), 10 ** (1 / 2), 10, 100, 1_000];
/** Shorter ones are in the first class. */
const leastMs = 0.1;

/** When each turn last spoke, and how long it took. */
export function lastingOf(rows: readonly TurnRow[]): readonly Lasting[] {
  return rows
    .map((row) => ({ atMs: Date.parse(row.ended_at), durationMs: lastedMs(row) }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
}

/** The cells of some turns, over a range or from the first of them to the last. */
export function durationCells(
  turns: readonly Lasting[],
  within?: readonly [number, number],
): DurationCells {
  const bins = binned(turns, within);
  const knownOf = (some: readonly Lasting[]): readonly number[] =>
    some.flatMap(({ durationMs }) => durationMs ?? []);
  const classes = classesOf(bins.flatMap(({ members }) => knownOf(members)));
  const columns = bins.map(({ fromMs, toMs, members }) => {
    const own = knownOf(members);
    const counts = Array.from({ length: classes.size }, () => 0);
    for (const ms of own) {
      const at = classes.indexOf(ms);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    return {
      fromMs,
      toMs,
      turns: members.length,
      unknown: members.length - own.length,
      counts,
      p50: quantile(own, 0.5),
      p95: quantile(own, 0.95),
    };
  });
  const fromMs = Array.from({ length: classes.size }, (_, index) => classes.bound(index));
  return { columns, fromMs, toMs: classes.bound(classes.size) };
}

interface Classes {
  readonly size: number;
  bound(index: number): number;
  indexOf(ms: number): number;
}

function classesOf(known: readonly number[]): Classes {
  const least = known.reduce((min, ms) => Math.min(min, Math.max(ms, leastMs)), Infinity);
  const most = known.reduce((max, ms) => Math.max(max, ms), leastMs);
  if (least === Infinity) return { size: 0, bound: () => 0, indexOf: () => 0 };
  const place = (ms: number, factor: number): number =>
    // A bound itself must not fall below it by rounding.
    Math.floor(Math.log(Math.max(ms, leastMs)) / Math.log(factor) + 1e-9);
  const size = (factor: number): number => place(most, factor) - place(least, factor) + 1;
  const factor = factors.find((one) => size(one) <= classesMax) ?? 10_000;
  const base = place(least, factor);
  return {
    size: size(factor),
    bound: (index) => Number((factor ** (base + index)).toPrecision(6)),
    indexOf: (ms) => Math.max(0, place(ms, factor) - base),
  };
}
