/**
 * @module DurationCells: durations of turns over time: a column for each time interval, with a
 * count for each class of durations and one for unknown durations. Classes are logarithmic: each
 * is a fixed factor of the one below.
 */
import { durationClass, durationClasses } from "@turnproof/evidence";
import type { TurnRow } from "@turnproof/evidence";

import { binned, lastedMs, quantile } from "./turn-figures.ts";

/** Turns of one time interval; times are epoch milliseconds, durations milliseconds. */
export interface DurationColumn {
  readonly fromMs: number;
  readonly toMs: number;
  readonly turns: number;
  /** Number of these without a known duration. */
  readonly unknown: number;
  /** Turns by class, shortest first. */
  readonly counts: readonly number[];
  readonly p50: number | null;
  readonly p95: number | null;
}

/** All columns, and the lower bound of each class. */
export interface DurationCells {
  readonly columns: readonly DurationColumn[];
  readonly fromMs: readonly number[];
  /** Upper bound of the longest class. */
  readonly toMs: number;
}

/** One turn at its time; null is an unknown duration. */
export interface Lasting {
  readonly atMs: number;
  readonly durationMs: number | null;
}

/** A column before its classes are merged: turns by the finest class, `durationClass`. */
export type DurationClasses = Omit<DurationColumn, "counts"> & {
  readonly classes: ReadonlyMap<number, number>;
};

const classesMax = 10;
/**
 * How many of the finest classes are merged, the fewest that fit; then whole orders of magnitude.
 */
const widths = [1, 2, 4, 8, 16, 24, 32];

/** The last event of each turn, and how long it took. */
export function lastingOf(rows: readonly TurnRow[]): readonly Lasting[] {
  return rows
    .map((row) => ({ atMs: Date.parse(row.ended_at), durationMs: lastedMs(row) }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
}

/** The cells of some turns, from the first of them to the last. */
export function durationCells(turns: readonly Lasting[]): DurationCells {
  return cellsOf(
    binned(turns).map(({ fromMs, toMs, members }) => {
      const own = members.flatMap(({ durationMs }) => durationMs ?? []);
      const classes = new Map<number, number>();
      for (const ms of own) {
        const at = durationClass(ms);
        classes.set(at, (classes.get(at) ?? 0) + 1);
      }
      const [turns, unknown] = [members.length, members.length - own.length];
      const [p50, p95] = [quantile(own, 0.5), quantile(own, 0.95)];
      return { fromMs, toMs, turns, unknown, p50, p95, classes };
    }),
  );
}

/** The cells of counted columns. */
export function cellsOf(columns: readonly DurationClasses[]): DurationCells {
  const known = columns.flatMap(({ classes }) => [...classes.keys()]);
  if (known.length === 0) {
    return {
      columns: columns.map(({ classes: _none, ...column }) => ({ ...column, counts: [] })),
      fromMs: [],
      toMs: 0,
    };
  }
  const least = known.reduce((min, one) => Math.min(min, one), Infinity);
  const most = known.reduce((max, one) => Math.max(max, one), -Infinity);
  const sizeOf = (width: number): number =>
    Math.floor(most / width) - Math.floor(least / width) + 1;
  const width = widths.find((one) => sizeOf(one) <= classesMax) ?? 64;
  const [base, size] = [Math.floor(least / width), sizeOf(width)];
  const boundOf = (index: number): number =>
    Number((10 ** (((base + index) * width) / durationClasses)).toPrecision(6));
  return {
    columns: columns.map(({ classes, ...column }) => {
      const counts = Array.from({ length: size }, () => 0);
      for (const [one, turns] of classes) {
        const at = Math.floor(one / width) - base;
        counts[at] = (counts[at] ?? 0) + turns;
      }
      return { ...column, counts };
    }),
    fromMs: Array.from({ length: size }, (_, index) => boundOf(index)),
    toMs: boundOf(size),
  };
}
