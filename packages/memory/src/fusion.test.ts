/**
 * @module Fusion: words weigh by rarity, ranks by relevance, and results stay in bounds for any
 * input.
 */
import fc from "fast-check";
import { expect, test } from "vitest";

import { fuseRanks, wordShares } from "./fusion.ts";

test("a rare word weighs more than those that every text has", () => {
  const common = Array.from({ length: 40 }, (_, n) => `the order of the day ${n} is tea`);
  const texts = ["the order A-1002 is on the way", "nothing of this", ...common];
  const shares = wordShares("where is the order A-1002", texts);
  expect(shares.indexOf(Math.max(...shares))).toBe(0);
  expect(shares[0]).toBeGreaterThan(0.5);
  expect(shares[1]).toBe(0);
  // Three common words of six score near zero.
  expect(shares[2]).toBeLessThan(0.1);
  // With a single text found, its words still count as rare.
  expect(wordShares("code KX7", ["KX7 is open"])[0]).toBeGreaterThan(0.4);
  expect(new Set(wordShares("", texts))).toEqual(new Set([0]));
  expect(wordShares("order", [])).toEqual([]);
});

test("what both searches find goes before what one finds, and sureness before rank alone", () => {
  expect(fuseRanks([[1], [1]])).toEqual([1]);
  const [both = 0, near = 0, worded = 0, none] = fuseRanks([
    [0.8, 0.9, undefined, undefined],
    [0.7, undefined, 0.75, undefined],
  ]);
  expect(both).toBeGreaterThan(near);
  expect(near).toBeGreaterThan(worded);
  expect(none).toBe(0);
  // The first of a search with low relevance does not outrank the second of one with high
  // relevance.
  const [first = 0, , unsure = 0] = fuseRanks([
    [0.6, 0.9, undefined],
    [undefined, undefined, 0.2],
  ]);
  expect(first).toBeGreaterThan(unsure);
});

test("fused numbers lie from 0 to 1 and keep the order that all searches agree on", () => {
  const relevances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 });
  fc.assert(
    fc.property(relevances, (one) => {
      const fused = fuseRanks([one, one.map((value) => value / 2)]);
      expect(fused.every((value) => value >= 0 && value <= 1)).toBe(true);
      const sorted = one
        .map((value, at) => ({ value, fused: fused[at] ?? 0 }))
        .toSorted((a, b) => b.value - a.value);
      for (const [at, { fused: here }] of sorted.entries()) {
        expect(here).toBeGreaterThanOrEqual((sorted[at + 1]?.fused ?? 0) - 1e-12);
      }
    }),
  );
});
