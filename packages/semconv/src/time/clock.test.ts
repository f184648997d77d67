/** Times as text, and the clock that never runs backwards. */
import { expect, test, vi } from "vitest";

import { increasingClock, isoMicros, isoTime } from "./clock.ts";

test("microseconds, never twice, never backwards", () => {
  const times = [1_700_000_000_000_001, 1_700_000_000_000_001, 1_699_999_999_500_000];
  const clock = increasingClock(() => times.shift() ?? 1_699_999_999_500_000);
  expect([clock(), clock(), clock(), clock()]).toEqual([
    "2023-11-14T22:13:20.000001Z",
    "2023-11-14T22:13:20.000002Z",
    "2023-11-14T22:13:20.000003Z",
    "2023-11-14T22:13:20.000004Z",
  ]);
});

test("a time that is set ahead does not count, and one that is set back does", () => {
  const began = Date.now();
  const clock = increasingClock();
  const offMs = (): number => Date.parse(clock()) - began;
  const now = vi.spyOn(Date, "now");
  try {
    now.mockReturnValue(began + 86_400_000);
    expect(Math.abs(offMs())).toBeLessThan(60_000);
    // As after a start with a clock that was a day ahead.
    now.mockReturnValue(began - 86_400_000);
    expect(offMs()).toBe(-86_400_000);
    now.mockReturnValue(began);
    expect(Math.abs(offMs())).toBeLessThan(60_000);
  } finally {
    now.mockRestore();
  }
});

test("by default the system's time", () => {
  const clock = increasingClock();
  expect(Math.abs(Date.parse(clock()) - Date.now())).toBeLessThan(1_000);
});

test("before 1970 too, microseconds count upwards", () => {
  expect(isoTime(-1)).toBe("1969-12-31T23:59:59.999Z");
  expect(isoMicros(-1)).toBe("1969-12-31T23:59:59.999999Z");
  expect(() => isoTime(Number.NaN)).toThrow(RangeError);
});
