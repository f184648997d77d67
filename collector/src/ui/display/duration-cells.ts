/**
 * @module DurationCells: durations of turns over time: a column for each time interval, with a
 * count for each class of durations and one for unknown durations. Classes are logarithmic: each
 * is a fixed factor of the one below.
 */
import { durationClasses } from "@turnproof/evidence";

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

/** A column before its classes are merged: turns by the finest class, `durationClass`. */
export type DurationClasses = Omit<DurationColumn, "counts"> & {
  readonly classes: ReadonlyMap<number, number>;
};

const classesMax = 10;
/**
 * How many of the finest classes are merged, the fewest that fit; then whole orders of magnitude.
 */
const widths = [1, 2, 4, 8, 16, 24, 32];

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
