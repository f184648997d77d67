/** @module Differences of shares, intervals and p-values as text. */
import { expect, test } from "vitest";

import { chanceText, differenceText, rangeText, rateText } from "./share-texts.ts";

test("points have a sign and at most two decimals", () => {
  expect([0.125, -0.031, 0.004_2, 0, -0.000_01].map(differenceText)).toEqual([
    "+13",
    "−3.1",
    "+0.42",
    "0",
    "0",
  ]);
  expect(rangeText({ low: -0.05, high: 0.31 })).toBe("[−5, +31]");
});

test("a p-value is never rounded to certainty", () => {
  expect([0, 1e-9, 0.012_3, 0.5, 0.995, 1].map(chanceText)).toEqual([
    "<0.0001",
    "<0.0001",
    "0.012",
    "0.5",
    ">0.99",
    "1",
  ]);
});

test("a rate above zero is never shown as zero", () => {
  expect([rateText(0, 9), rateText(1, 9_999), rateText(1, 3), rateText(0, 0)]).toEqual([
    "0 %",
    "<0.1 %",
    "33.3 %",
    "0 %",
  ]);
});
