/**
 * @module Measures: whether durations, tokens or costs grew by more than a share. A value that is
 * not recorded is unknown: the answer must hold whatever the unknown values are.
 */
import { binomial } from "./chance.ts";
import { growth, pairedGrowth } from "./rank-tests.ts";
import type { Interval } from "./intervals.ts";
import { byCase } from "./pairing.ts";
import type { UnknownReading, TrialView } from "./trials.ts";

/**
 * One turn's value of a measure: a number, or the range in which it lies, as of a cost where a
 * count of tokens is not recorded. Absent: not recorded.
 */
export type Measured = { readonly caseId?: string; readonly value?: number | Interval };

/** A measure on one side. */
export type SideMeasure = {
  readonly known: number;
  readonly unknown: number;
  /** Of the known ones: values that are a range. Absent: none. */
  readonly ranges?: number;
  /** Of a range, its middle counts. */
  readonly median?: number;
  /** Medians of the lower and of the upper ends; absent where no value is a range. */
  readonly medianRange?: Interval;
  /** Interval of the median, by order statistics; absent where there are too few values. */
  readonly medianInterval?: Interval;
};

/** p-values of "did not grow by more than the margin" and of "grew by more than the margin". */
export type GrowthTest = { readonly grew: number; readonly didNotGrow: number };

/** Counts, median and its interval. */
export function describe(side: readonly Measured[], level: number): SideMeasure {
  const [values, lows, highs] = [sorted(side, centre), sorted(side, lowOf), sorted(side, highOf)];
  const median = middle(values);
  const [low, high] = [medianInterval(lows, level)?.low, medianInterval(highs, level)?.high];
  const interval = low === undefined || high === undefined ? undefined : { low, high };
  const ranges = side.filter(({ value }) => isRange(value)).length;
  const range = { low: middle(lows) ?? 0, high: middle(highs) ?? 0 };
  return {
    known: values.length,
    unknown: side.length - values.length,
    ...(ranges === 0 ? {} : { ranges, medianRange: range }),
    ...(median === undefined ? {} : { median }),
    ...(interval === undefined ? {} : { medianInterval: interval }),
  };
}

/** True for a value that is known within bounds only. */
export function isRange(value: Measured["value"]): value is Interval {
  return typeof value === "object" && value.low < value.high;
}

/** The value; of a range its middle. */
export function centre(value: number | Interval): number {
  return typeof value === "number" ? value : (value.low + value.high) / 2;
}

/** The least that it may be. */
export function lowOf(value: number | Interval): number {
  return typeof value === "number" ? value : value.low;
}

/** The most that it may be. */
export function highOf(value: number | Interval): number {
  return typeof value === "number" ? value : value.high;
}

function sorted(
  side: readonly Measured[],
  of: (value: number | Interval) => number,
): readonly number[] {
  return side
    .flatMap(({ value }) => (value === undefined ? [] : [of(value)]))
    .toSorted((a, b) => a - b);
}

/**
 * Tests growth beyond a margin under one reading of the unknown values. A range is its middle, or
 * the end that the reading favours.
 *
 * @param margin growth that is allowed, as a share: 0.1 is ten per cent
 * @param view `apart` compares all turns; the others the medians of cases that both sides have
 */
export function growthTest(
  baseline: readonly Measured[],
  candidate: readonly Measured[],
  { margin, view, reading }: { margin: number; view: TrialView; reading: UnknownReading },
): GrowthTest {
  const [least, most] = [
    { of: lowOf, unknown: 0 },
    { of: highOf, unknown: Infinity },
  ];
  const left = values(baseline, reading, { worst: least, best: most }, 1 + margin);
  const right = values(candidate, reading, { worst: most, best: least }, 1);
  if (view === "apart") {
    const [before, after] = [left.map(({ value }) => value), right.map(({ value }) => value)];
    return { grew: growth(before, after), didNotGrow: growth(after, before) };
  }
  const open = view === "bounded" ? unnamed([...baseline, ...candidate], reading) : [];
  const differences = [...caseDifferences(medians(left), medians(right)), ...open];
  return {
    grew: pairedGrowth(differences),
    didNotGrow: pairedGrowth(differences.map((one) => -one)),
  };
}

/** Turns without a case: beside a partner that is not known each may be any difference. */
function unnamed(turns: readonly Measured[], reading: UnknownReading): readonly number[] {
  if (reading === "established") return [];
  const most = reading === "worst" ? Infinity : -Infinity;
  return turns.flatMap(({ caseId }) => (caseId === undefined ? [most] : []));
}

/** True for a measure that a turn of one side has; one that neither has is not compared. */
export function isRecorded(of: {
  readonly baseline: readonly Measured[];
  readonly candidate: readonly Measured[];
}): boolean {
  return [of.baseline, of.candidate].some((side) => side.some(({ value }) => value !== undefined));
}

type Read = { readonly caseId?: string; readonly value: number };

/** What a reading takes a range and an unknown value to be. */
type Bound = {
  readonly of: (value: number | Interval) => number;
  readonly unknown: number;
};

function values(
  side: readonly Measured[],
  reading: UnknownReading,
  bounds: { readonly worst: Bound; readonly best: Bound },
  factor: number,
): readonly Read[] {
  return side.flatMap(({ caseId, value }) => {
    const bound = reading === "established" ? undefined : bounds[reading];
    const named = caseId === undefined ? {} : { caseId };
    if (value !== undefined) {
      return [{ ...named, value: (bound?.of ?? centre)(value) * factor }];
    }
    return bound === undefined ? [] : [{ ...named, value: bound.unknown }];
  });
}

/** Median of each case's values. */
export function medians(side: readonly Measured[]): ReadonlyMap<string, number> {
  return new Map([...byCase(side)].map(([id, some]) => [id, middle(sorted(some, centre)) ?? 0]));
}

/** Differences of logarithms, so that a case with large values weighs no more than another. */
function caseDifferences(
  left: ReadonlyMap<string, number>,
  right: ReadonlyMap<string, number>,
): readonly number[] {
  return [...left].flatMap(([id, before]) => {
    const after = right.get(id);
    if (after === undefined) return [];
    return [after === before ? 0 : Math.log(after) - Math.log(before)];
  });
}

function middle(sorted: readonly number[]): number | undefined {
  const half = sorted.length >> 1;
  const upper = sorted[half];
  if (upper === undefined || sorted.length % 2 === 1) return upper;
  return ((sorted[half - 1] ?? upper) + upper) / 2;
}

/** Order statistics between which the median lies with at least the given confidence. */
function medianInterval(sorted: readonly number[], level: number): Interval | undefined {
  const n = sorted.length;
  let [below, at] = [0, 0];
  while (at < n && below + binomial(at, n, 0.5) <= (1 - level) / 2) {
    below += binomial(at, n, 0.5);
    at += 1;
  }
  const [low, high] = [sorted[at - 1], sorted[n - at]];
  return low === undefined || high === undefined ? undefined : { low, high };
}
