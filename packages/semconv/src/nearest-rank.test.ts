/** Nearest rank: one of the values, the least that the share does not exceed. */
import { expect, test } from "vitest";

import { nearestRank } from "./nearest-rank.ts";

test("a percentile is one of the values, whatever their order", () => {
  const values = [50, 15, 40, 20, 35];
  expect([0, 0.05, 0.3, 0.4, 0.5, 1].map((share) => nearestRank(values, share))).toEqual([
    15, 15, 20, 20, 35, 50,
  ]);
  expect(values).toEqual([50, 15, 40, 20, 35]);
});

test("without values there is none", () => {
  expect(nearestRank([], 0.5)).toBeNull();
});
