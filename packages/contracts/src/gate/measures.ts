/**
 * @module Measures: whether durations, tokens or costs grew by more than a share. A value that is
 * not recorded is unknown: the answer must hold whatever the unknown values are.
 */
import { binomial } from "./chance.ts";
import { growth, pairedGrowth } from "./rank-tests.ts";
import type { Interval } from "./intervals.ts";
import { byCase, pair } from "./trials.ts";
import type { Trial, UnknownReading } from "./trials.ts";

/** One turn's value of a measure. */
export type Measured = { readonly caseId?: string; readonly value?: number };

/** A measure on one side. */
export type SideMeasure = {
  readonly known: number;
  readonly unknown: number;
  readonly median?: number;
  /** Interval of the median, by order statistics; absent where there are too few values. */
  readonly medianInterval?: Interval;
};

/** p-values of "did not grow by more than the margin" and of "grew by more than the margin". */
export type GrowthTest = { readonly grew: number; readonly didNotGrow: number };

/** Counts, median and its interval. */
export function describe(side: readonly Measured[], level: number): SideMeasure {
  const values = side.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const sorted = values.toSorted((a, b) => a - b);
  const median = middle(sorted);
  const interval = medianInterval(sorted, level);
  return {
    known: values.length,
    unknown: side.length - values.length,
    ...(median === undefined ? {} : { median }),
    ...(interval === undefined ? {} : { medianInterval: interval }),
  };
}

/**
 * Tests growth beyond a margin under one reading of the unknown values.
 *
 * @param margin growth that is allowed, as a share: 0.1 is ten per cent
 * @param paired compare the medians of cases that both sides have
 */
export function growthTest(
  baseline: readonly Measured[],
  candidate: readonly Measured[],
  { margin, paired, reading }: { margin: number; paired: boolean; reading: UnknownReading },
): GrowthTest {
  const left = values(baseline, reading, { worst: 0, best: Infinity }, 1 + margin);
  const right = values(candidate, reading, { worst: Infinity, best: 0 }, 1);
  if (!paired) {
    const [before, after] = [left.map(({ value }) => value), right.map(({ value }) => value)];
    return { grew: growth(before, after), didNotGrow: growth(after, before) };
  }
  const differences = caseDifferences(medians(left), medians(right));
  return {
    grew: pairedGrowth(differences),
    didNotGrow: pairedGrowth(differences.map((one) => -one)),
  };
}

/** Whether the cases of both sides pair up. */
export function casesPair(baseline: readonly Measured[], candidate: readonly Measured[]): boolean {
  const asTrials = (side: readonly Measured[]): readonly Trial[] =>
    side.map(({ caseId }) => ({ result: "holds", ...(caseId === undefined ? {} : { caseId }) }));
  return pair(asTrials(baseline), asTrials(candidate)).paired;
}

type Read = { readonly caseId: string; readonly value: number };

function values(
  side: readonly Measured[],
  reading: UnknownReading,
  unknown: { readonly worst: number; readonly best: number },
  factor: number,
): readonly Read[] {
  return side.flatMap(({ caseId = "", value }) => {
    if (value !== undefined) return [{ caseId, value: value * factor }];
    return reading === "established" ? [] : [{ caseId, value: unknown[reading] }];
  });
}

/** Median of each case's values. */
export function medians(side: readonly Measured[]): ReadonlyMap<string, number> {
  return new Map(
    [...byCase(side)].map(([id, some]) => [
      id,
      middle(some.flatMap(({ value }) => value ?? []).toSorted((a, b) => a - b)) ?? 0,
    ]),
  );
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
