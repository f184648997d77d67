/** @module Tests of how many batches are in flight (faults R14), with simulated stores. */
import { expect, test } from "vitest";

import { AdaptiveConcurrency, DrainPace } from "./drain-pace.ts";

/** Runs batches against a store whose latency depends on the number in flight. */
function run(
  concurrency: AdaptiveConcurrency,
  rounds: number,
  elapsedMs: (limit: number) => number,
): number[] {
  return Array.from({ length: rounds }, () => {
    concurrency.stored(elapsedMs(concurrency.limit), true);
    return concurrency.limit;
  });
}

test("a store that works in parallel gets as many as are allowed", () => {
  const concurrency = new AdaptiveConcurrency(4);
  expect(run(concurrency, 10, () => 50).at(-1)).toBe(4);
});

test("a store that works on one after another gets few", () => {
  const concurrency = new AdaptiveConcurrency(8);
  const limits = run(concurrency, 100, (limit) => 50 * limit);
  expect(Math.max(...limits)).toBeLessThanOrEqual(3);
  expect(limits.filter((limit) => limit <= 2).length).toBeGreaterThan(80);
});

test("a store that grew slower for good is used in parallel again", () => {
  const concurrency = new AdaptiveConcurrency(4);
  run(concurrency, 10, () => 50);
  expect(Math.min(...run(concurrency, 10, () => 500))).toBeLessThan(4);
  expect(run(concurrency, 300, () => 500).at(-1)).toBe(4);
});

test("nothing is concluded from batches that nothing waited behind; a failure leaves one", () => {
  const concurrency = new AdaptiveConcurrency(4);
  for (let index = 0; index < 10; index += 1) concurrency.stored(50, false);
  expect(concurrency.limit).toBe(2);
  concurrency.failed();
  expect(concurrency.limit).toBe(1);
  expect(new AdaptiveConcurrency(1).limit).toBe(1);
});

test("a lone span goes soon, a stream goes in blocks", () => {
  const pace = new DrainPace({ busyMs: 500, quietMs: 20, busySpans: 500 });
  pace.started(1_000, 1);
  expect(pace.nextAtMs(1_010, 1)).toBe(1_020);
  pace.started(2_000, 400);
  expect(pace.nextAtMs(2_010, 200)).toBe(2_500);
  expect(pace.nextAtMs(9_000, 1)).toBe(2_020);
});
