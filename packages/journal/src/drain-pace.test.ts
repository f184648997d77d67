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

const options = { everyMs: 1_000, quickMs: 20, quickMax: 3, fullSpans: 10_000 };

test("a few batches start at once, then one each second", () => {
  const pace = new DrainPace(options);
  expect(pace.nextAtMs(1)).toBeLessThan(0);
  const starts: number[] = [];
  // A request of some spans each 10 ms, for five seconds.
  for (let now = 10_000; now < 15_000; now += 10) {
    if (pace.nextAtMs(8) > now) continue;
    starts.push(now - 10_000);
    pace.started(now);
  }
  expect(starts).toEqual([0, 20, 40, 1_000, 2_000, 3_000, 4_000]);
});

test("batches that could start at once accrue with time, up to a bound", () => {
  const pace = new DrainPace(options);
  for (const now of [10_000, 10_020, 10_040]) pace.started(now);
  expect(pace.nextAtMs(1)).toBe(11_000);
  for (const now of [60_000, 60_020, 60_040]) {
    expect(pace.nextAtMs(1)).toBeLessThanOrEqual(now);
    pace.started(now);
  }
  expect(pace.nextAtMs(1)).toBe(61_000);
});

test("a full batch does not wait", () => {
  const pace = new DrainPace(options);
  for (const now of [10_000, 10_020, 10_040, 11_040]) pace.started(now);
  expect(pace.nextAtMs(9_999)).toBe(12_000);
  expect(pace.nextAtMs(10_000)).toBe(11_060);
});
