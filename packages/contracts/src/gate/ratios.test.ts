/** @module Ratios, percentile ranks and Student's distribution, against sums and known tables. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { binomial, binomialAtLeast, studentAtLeast, studentQuantile } from "./chance.ts";
import { percentileRanks } from "./percentile-ranks.ts";
import { compareRatios, ratioOf } from "./ratios.ts";

test("quantiles of Student's distribution are those of the printed tables", () => {
  for (const [degrees, value] of [
    [1, 12.706_2],
    [2, 4.302_65],
    [5, 2.570_58],
    [10, 2.228_14],
    [29, 2.045_23],
    [120, 1.979_93],
  ] as const) {
    expect(studentQuantile(0.975, degrees)).toBeCloseTo(value, 4);
    expect(studentAtLeast(value, degrees)).toBeCloseTo(0.025, 6);
  }
});

test("the tail of the binomial distribution is the sum of its chances", () => {
  const count = fc.integer({ min: 0, max: 200 });
  fc.assert(
    fc.property(count, count, fc.double({ min: 0, max: 1, noNaN: true }), (n, k, p) => {
      let sum = 0;
      for (let at = k; at <= n; at += 1) sum += binomial(at, n, p);
      expect(binomialAtLeast(k, n, p)).toBeCloseTo(sum, 10);
    }),
  );
});

test("the ranks around a percentile enclose it as often as they say, and no wider pair is needed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 }), fc.constantFrom(0.5, 0.95, 0.99), (n, share) => {
      const { low, high } = percentileRanks(n, share, 0.95);
      const below = (rank: number): number => 1 - binomialAtLeast(rank, n, share);
      if (low > 0) expect(below(low)).toBeLessThanOrEqual(0.025 + 1e-12);
      expect(below(low + 1)).toBeGreaterThan(0.025);
      if (high <= n) expect(binomialAtLeast(high, n, share)).toBeLessThanOrEqual(0.025);
      if (high > 0) expect(binomialAtLeast(high - 1, n, share)).toBeGreaterThan(0.025);
    }),
  );
  expect(percentileRanks(100, 0.5, 0.95)).toEqual({ low: 40, high: 61 });
  expect(percentileRanks(10, 0.99, 0.95)).toEqual({ low: 9, high: 11 });
});

/** Numbers between 0 and 1 of a linear congruence: the same in every run. */
function numbers(): () => number {
  let state = 12_345;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

test("intervals of ratios hold the truth in about 95 of 100 samples", () => {
  const next = numbers();
  let held = 0;
  for (let run = 0; run < 400; run += 1) {
    const parts = Array.from({ length: 40 }, () => {
      const whole = 1 + Math.floor(next() * 20);
      // What happens in one interval happens together: its rate is common to all of it.
      const rate = next() * 0.4;
      return { part: whole * rate, whole };
    });
    const { interval } = ratioOf(parts, 0.95) ?? {};
    if (interval !== undefined && interval.low <= 0.2 && interval.high >= 0.2) held += 1;
  }
  expect(held / 400).toBeGreaterThan(0.91);
  expect(held / 400).toBeLessThan(0.98);
});

test("equal ratios differ in about 5 of 100 samples, and unlike ones are found", () => {
  const next = numbers();
  const sample = (mean: number): { part: number; whole: number }[] =>
    Array.from({ length: 20 }, () => ({ part: mean * 2 * next() * 10, whole: 10 }));
  const found = (mean: number): number =>
    Array.from({ length: 300 }, () => compareRatios(sample(1), sample(mean), 0.95)).filter(
      ({ different = 1 }) => different <= 0.05,
    ).length / 300;
  expect(found(1)).toBeLessThan(0.09);
  expect(found(2)).toBeGreaterThan(0.9);
});

test("sides without any variance differ as two of all ways to divide their intervals", () => {
  const all = (part: number): { part: number; whole: number }[] =>
    Array.from({ length: 6 }, () => ({ part, whole: 1 }));
  expect(compareRatios(all(0), all(1), 0.95).different).toBeCloseTo(2 / 924, 12);
  expect(compareRatios(all(1), all(1), 0.95).different).toBe(1);
});

test("few intervals have a ratio and say nothing about chance; none have none", () => {
  expect(ratioOf([{ part: 3, whole: 6 }], 0.95)).toEqual({ ratio: 0.5 });
  expect(ratioOf([{ part: 0, whole: 0 }], 0.95)).toBeUndefined();
  expect(compareRatios([{ part: 1, whole: 2 }], [{ part: 2, whole: 2 }], 0.95)).toEqual({
    difference: 0.5,
  });
  expect(compareRatios([], [{ part: 2, whole: 2 }], 0.95)).toEqual({});
});
