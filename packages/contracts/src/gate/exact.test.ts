/** @module Exact tests against counts of all arrangements, and values known by hand. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { hypergeometricAtLeast, logChoose, normalAtLeast, normalQuantile } from "./chance.ts";
import { compareShares } from "./compare-shares.ts";
import { exactRegression } from "./exact-test.ts";
import { holm } from "./holm.ts";
import { dropInterval, shareInterval } from "./intervals.ts";
import { growth, pairedGrowth } from "./rank-tests.ts";
import { pairedRegression } from "./sign-test.ts";
import { read } from "./trials.ts";
import type { CaseCount } from "./trials.ts";

const counts = (n1: number, x: number, n2: number, y: number): CaseCount => ({
  baseline: { holds: n1 - x, violated: x, unknown: 0 },
  candidate: { holds: n2 - y, violated: y, unknown: 0 },
});

test("one case is Fisher's test, pairs are McNemar's", () => {
  // The lady who tastes tea: 3 of 4 right; (16 + 1) of 70 ways.
  expect(exactRegression(counts(4, 1, 4, 3))).toBeCloseTo(17 / 70, 12);
  const worse = Array.from({ length: 8 }, () => counts(1, 0, 1, 1));
  const same = Array.from({ length: 30 }, () => counts(1, 1, 1, 1));
  expect(pairedRegression([...worse, counts(1, 1, 1, 0), ...same])).toBeCloseTo(10 / 512, 12);
  expect(exactRegression(counts(0, 0, 4, 3))).toBe(1);
  expect(pairedRegression([])).toBe(1);
});

/** All ways to choose `size` of `n` places. */
function subsets(n: number, size: number): readonly number[][] {
  if (size === 0) return [[]];
  if (n < size) return [];
  const without = subsets(n - 1, size);
  return [...without, ...subsets(n - 1, size - 1).map((some) => [...some, n - 1])];
}

const someCase = fc
  .record({ n1: fc.integer({ min: 0, max: 4 }), n2: fc.integer({ min: 0, max: 4 }) })
  .chain(({ n1, n2 }) =>
    fc.record({
      n1: fc.constant(n1),
      n2: fc.constant(n2),
      x: fc.integer({ min: 0, max: n1 }),
      y: fc.integer({ min: 0, max: n2 }),
    }),
  );

test("two sides: the share of all ways to spread the results over them", () => {
  fc.assert(
    fc.property(someCase, ({ n1, n2, x, y }) => {
      const ways = subsets(n1 + n2, n2);
      const extreme = ways.filter((chosen) => chosen.filter((at) => at < x + y).length >= y);
      expect(exactRegression(counts(n1, x, n2, y))).toBeCloseTo(extreme.length / ways.length, 10);
    }),
  );
});

test("pairs: the share of all ways to swap the sides of cases", () => {
  fc.assert(
    fc.property(fc.array(someCase, { maxLength: 7 }), (cases) => {
      const differences = cases.flatMap(({ n1, x, n2, y }) =>
        n1 === 0 || n2 === 0 ? [] : [y / n2 - x / n1],
      );
      const seen = differences.reduce((sum, one) => sum + one, 0);
      let extreme = 0;
      const ways = 2 ** differences.length;
      for (let swaps = 0; swaps < ways; swaps += 1) {
        const sum = differences.reduce((all, one, at) => all + ((swaps >> at) & 1 ? -one : one), 0);
        if (sum >= seen - 1e-9) extreme += 1;
      }
      const found = pairedRegression(cases.map(({ n1, x, n2, y }) => counts(n1, x, n2, y)));
      expect(found).toBeCloseTo(extreme / ways, 10);
    }),
  );
});

/**
 * Chance of `low + i` hits among `drawn` of `total` things of which `marked` are hits, at index i.
 */
function hypergeometric(
  total: number,
  marked: number,
  drawn: number,
): { readonly low: number; readonly chances: readonly number[] } {
  const low = Math.max(0, marked + drawn - total);
  const high = Math.min(marked, drawn);
  const all = logChoose(total, drawn);
  const chances: number[] = [];
  for (let hits = low; hits <= high; hits += 1) {
    chances.push(Math.exp(logChoose(marked, hits) + logChoose(total - marked, drawn - hits) - all));
  }
  return { low, chances };
}

test("the tail of the hypergeometric distribution is the sum of its chances", () => {
  const size = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(size, size, size, size, (total, a, b, hits) => {
      const [marked, drawn] = [Math.min(a, total), Math.min(b, total)];
      const { low, chances } = hypergeometric(total, marked, drawn);
      const sum = chances.reduce((all, one, at) => (low + at >= hits ? all + one : all), 0);
      expect(hypergeometricAtLeast(hits, { total, marked, drawn })).toBeCloseTo(sum, 10);
    }),
  );
  // The table of factorials ends at 4,096: both ways agree around it.
  const { low, chances } = hypergeometric(4_200, 900, 1_000);
  const sum = chances.reduce((all, one, at) => (low + at >= 240 ? all + one : all), 0);
  const tail = hypergeometricAtLeast(240, { total: 4_200, marked: 900, drawn: 1_000 });
  expect(tail / sum).toBeCloseTo(1, 8);
});

test("shares of ten millions are compared, in either direction", () => {
  const many = { hits: 500_000, of: 5_000_000 };
  const more = { hits: 502_000, of: 5_000_000 };
  const found = compareShares(many, more, 0.95);
  // The normal approximation at this size: z = 2,000 / sqrt(2 · 5e6 · 0.1002 · 0.8998).
  const z = (2_000 - 0.5) / Math.sqrt(2 * 5e6 * 0.1002 * 0.8998);
  expect(found.more / normalAtLeast(z)).toBeCloseTo(1, 2);
  expect(found.different).toBeCloseTo(2 * found.more, 12);
  expect(compareShares(more, many, 0.95).different).toBeCloseTo(found.different, 6);
  expect(found.difference).toBeCloseTo(0.0004, 12);
  expect(compareShares({ hits: 0, of: 0 }, more, 0.95)).toMatchObject({ more: 1, different: 1 });
  expect(compareShares(many, many, 0.95).different).toBe(1);
});

test("no way to fill unknown results passes beyond the worst and the best reading", () => {
  const side = fc.record({
    holds: fc.integer({ min: 0, max: 12 }),
    violated: fc.integer({ min: 0, max: 12 }),
    unknown: fc.integer({ min: 0, max: 4 }),
  });
  const filled = ({ holds, violated, unknown }: CaseCount["baseline"], held: number) => ({
    holds: holds + Math.min(held, unknown),
    violated: violated + unknown - Math.min(held, unknown),
    unknown: 0,
  });
  const some = fc.record({ baseline: side, candidate: side });
  const held = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(some, held, held, (one, left, right) => {
      const way = { baseline: filled(one.baseline, left), candidate: filled(one.candidate, right) };
      const p = exactRegression(way);
      expect(p).toBeLessThanOrEqual(exactRegression(read(one, "best")) + 1e-9);
      expect(p).toBeGreaterThanOrEqual(exactRegression(read(one, "worst")) - 1e-9);
      const high = dropInterval([way], 0.9, false)?.high ?? 1;
      expect(high).toBeLessThanOrEqual(
        (dropInterval([read(one, "worst")], 0.9, false)?.high ?? 1) + 1e-9,
      );
    }),
  );
});

test("intervals of a share and of a drop", () => {
  const known = shareInterval(3, 10, 0.95);
  expect(known?.low).toBeCloseTo(0.0667395, 6);
  expect(known?.high).toBeCloseTo(0.6524529, 6);
  expect(shareInterval(0, 10, 0.95)?.low).toBe(0);
  expect(shareInterval(0, 0, 0.95)).toBeUndefined();
  // By hand: 9/12 and 4/12 with one hit and one miss more on each side.
  const one = dropInterval([counts(10, 2, 10, 7)], 0.95, false);
  const half = 1.959964 * Math.sqrt((0.75 * 0.25 + (4 / 12) * (8 / 12)) / 12);
  expect(one?.low).toBeCloseTo(5 / 12 - half, 6);
  expect(one?.high).toBeCloseTo(5 / 12 + half, 6);
  // Twenty cases that agree: the interval is not empty.
  const agreeing = Array.from({ length: 20 }, () => counts(1, 0, 1, 0));
  expect(dropInterval(agreeing, 0.9, true)?.high).toBeCloseTo(1.644854 / 22, 6);
});

test("ranks are counted over all arrangements", () => {
  expect(growth([1, 2, 3], [4, 5, 6])).toBeCloseTo(1 / 20, 12);
  expect(growth([4, 5, 6], [1, 2, 3])).toBe(1);
  expect(growth([5, 5], [5, 5])).toBe(1);
  expect(pairedGrowth([1, 2, 3, 4, 5])).toBeCloseTo(1 / 32, 12);
  expect(pairedGrowth([0, 0])).toBe(1);
  const values = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(values, values, (before, after) => {
      const all = [...after, ...before];
      const rank = (value: number): number =>
        all.filter((other) => other < value).length +
        (all.filter((other) => other === value).length + 1) / 2;
      const sum = (some: readonly number[]): number =>
        some.reduce((total, at) => total + rank(all[at] ?? 0), 0);
      const seen = sum(after.map((_, at) => at));
      const ways = subsets(all.length, after.length);
      const extreme = ways.filter((some) => sum(some) >= seen - 1e-9).length;
      expect(growth(before, after)).toBeCloseTo(extreme / ways.length, 10);
    }),
  );
});

test("large samples agree with the exact count", () => {
  const before = Array.from({ length: 20 }, (_, at) => at * 3);
  const after = Array.from({ length: 20 }, (_, at) => at * 3 + 7);
  const exact = growth(before, after);
  const twice = growth([...before, 1_000], [...after, -1_000]);
  expect(Math.abs(exact - growth(before, [...after]))).toBeLessThan(1e-12);
  expect(twice).toBeGreaterThan(exact);
  expect(twice).toBeLessThan(0.3);
});

test("the normal distribution, by known values", () => {
  const known = [
    [0, 0.5],
    [1.959963984540054, 0.025],
    [3, 0.0013498980316301035],
    [7, 1.279812543885835e-12],
  ] as const;
  for (const [z, tail] of known) {
    expect(normalAtLeast(z) / tail).toBeCloseTo(1, 10);
    expect(normalAtLeast(-z)).toBeCloseTo(1 - tail, 12);
  }
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 10);
  expect(normalQuantile(0.05)).toBeCloseTo(-1.6448536269514722, 10);
});

test("Holm's correction", () => {
  const adjusted = holm([0.01, 0.04, 0.03]);
  expect(adjusted[0]).toBeCloseTo(0.03, 12);
  expect(adjusted[1]).toBeCloseTo(0.06, 12);
  expect(adjusted[2]).toBeCloseTo(0.06, 12);
  expect(holm([])).toEqual([]);
});
