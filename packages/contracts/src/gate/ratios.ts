/**
 * @module Ratios: a sum divided by a sum, as tokens a turn or failures a call, from the sums of
 * intervals of time. The intervals are the sample: what happens together, as the calls of a turn or
 * the turns of an outage, counts as one. Variance by linearization, Student's distribution.
 */
import { logChoose, studentAtLeast, studentQuantile } from "./chance.ts";
import type { Interval } from "./intervals.ts";

/** The sums of one interval of time. */
export type RatioPart = { readonly part: number; readonly whole: number };

/** A ratio with its interval. */
export type Ratio = {
  readonly ratio: number;
  /** Absent where fewer than `partsMin` intervals of time have something. */
  readonly interval?: Interval;
};

/** Two ratios compared. */
export type RatioComparison = {
  readonly difference?: number;
  readonly interval?: Interval;
  /** p-value of "no difference", in either direction; absent where it cannot be computed. */
  readonly different?: number;
};

/** Fewest intervals of time from which a variance is estimated. */
const partsMin = 5;

type Estimate = { readonly ratio: number; readonly error?: number; readonly degrees: number };

/**
 * The ratio of the sums.
 *
 * @param level two-sided confidence
 * @returns undefined where the whole is nothing
 */
export function ratioOf(parts: readonly RatioPart[], level: number): Ratio | undefined {
  const estimate = estimated(parts);
  if (estimate === undefined) return undefined;
  const { ratio, error, degrees } = estimate;
  if (error === undefined) return { ratio };
  const half = studentQuantile(1 - (1 - level) / 2, degrees) * error;
  return { ratio, interval: { low: Math.max(0, ratio - half), high: ratio + half } };
}

/** Compares two ratios by Welch's test. @param level two-sided confidence of the interval */
export function compareRatios(
  baseline: readonly RatioPart[],
  candidate: readonly RatioPart[],
  level: number,
): RatioComparison {
  const [a, b] = [estimated(baseline), estimated(candidate)];
  if (a === undefined || b === undefined) return {};
  const difference = b.ratio - a.ratio;
  if (a.error === undefined || b.error === undefined) return { difference };
  const [left, right] = [a.error ** 2, b.error ** 2];
  const error = Math.sqrt(left + right);
  if (error === 0) {
    // All intervals of a side are alike: of all ways to divide them, two are as extreme.
    const ways = Math.exp(-logChoose(a.degrees + b.degrees + 2, a.degrees + 1));
    return { difference, different: difference === 0 ? 1 : Math.min(1, 2 * ways) };
  }
  const degrees = Math.max(
    1,
    Math.floor((left + right) ** 2 / (left ** 2 / a.degrees + right ** 2 / b.degrees)),
  );
  const half = studentQuantile(1 - (1 - level) / 2, degrees) * error;
  return {
    difference,
    interval: { low: difference - half, high: difference + half },
    different: Math.min(1, 2 * studentAtLeast(Math.abs(difference) / error, degrees)),
  };
}

function estimated(all: readonly RatioPart[]): Estimate | undefined {
  const parts = all.filter(({ whole }) => whole > 0);
  const whole = parts.reduce((sum, one) => sum + one.whole, 0);
  if (whole === 0) return undefined;
  const ratio = parts.reduce((sum, one) => sum + one.part, 0) / whole;
  const n = parts.length;
  if (n < partsMin) return { ratio, degrees: 0 };
  const squares = parts.reduce((sum, one) => sum + (one.part - ratio * one.whole) ** 2, 0);
  return { ratio, error: Math.sqrt((n / (n - 1)) * squares) / whole, degrees: n - 1 };
}
