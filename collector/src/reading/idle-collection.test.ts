/** Garbage is collected once a thread has nothing to do, and never while it works. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { collectedWhenIdle } from "./idle-collection.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a large heap is collected after the last of several answers", async () => {
  const collect = vi.fn<() => void>();
  const worked = collectedWhenIdle(collect, () => 2 ** 30);
  const long = Promise.withResolvers<void>();
  const first = worked(() => long.promise);
  await worked(async () => {});
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
  long.resolve();
  await first;
  vi.advanceTimersByTime(60_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test("a small heap is left alone, and the collector of the engine is there", async () => {
  const collect = vi.fn<() => void>();
  await collectedWhenIdle(collect, () => 2 ** 20)(async () => {});
  vi.advanceTimersByTime(60_000);
  expect(collect).not.toHaveBeenCalled();
  await collectedWhenIdle(undefined, () => 2 ** 30)(async () => {});
  expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
});
