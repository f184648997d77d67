/** Descriptors are counted, and a process that runs out of them logs it once. */
import { closeSync, openSync } from "node:fs";

import { afterEach, expect, test, vi } from "vitest";

import { descriptors, watchDescriptors } from "./descriptors.ts";

afterEach(() => vi.useRealTimers());

test.runIf(process.platform === "linux")("open files are counted", () => {
  const before = descriptors();
  // Other threads of this process may open and close files meanwhile.
  const files = Array.from({ length: 200 }, () => openSync(import.meta.filename, "r"));
  const opened = (descriptors()?.open ?? 0) - (before?.open ?? 0);
  for (const file of files) closeSync(file);
  expect(Math.abs(opened - files.length)).toBeLessThan(50);
  expect(before?.max).toBeGreaterThan(before?.open ?? Number.POSITIVE_INFINITY);
});

test("nine tenths of the limit are logged once, and again after a fall", () => {
  vi.useFakeTimers();
  let open = 89;
  const warn = vi.fn();
  const end = watchDescriptors({ warn }, { read: () => ({ open, max: 100 }), ms: 10 });
  vi.advanceTimersByTime(10);
  expect(warn).not.toHaveBeenCalled();
  for (const now of [90, 100, 50, 95]) {
    open = now;
    vi.advanceTimersByTime(10);
  }
  expect(warn.mock.calls).toEqual([
    ["descriptors_low", { count: 90, limit: 100 }],
    ["descriptors_low", { count: 95, limit: 100 }],
  ]);
  end();
  open = 50;
  vi.advanceTimersByTime(10);
  open = 100;
  vi.advanceTimersByTime(10);
  expect(warn).toHaveBeenCalledTimes(2);
});
