/** Times keep every digit; an invalid time is refused. */
import { expect, test } from "vitest";

import { elapsedMs } from "./elapsed.ts";
import { compareTimes, epochToTime, normalizeTime } from "./text.ts";

test("digits survive and offsets become UTC", () => {
  expect(normalizeTime("2026-03-01T10:00:00.123456789Z")).toBe("2026-03-01T10:00:00.123456789Z");
  expect(normalizeTime("2026-03-01T01:30:00.10+02:00")).toBe("2026-02-28T23:30:00.10Z");
  expect(normalizeTime("2026-03-01 10:00:00,5")).toBe("2026-03-01T10:00:00.5Z");
  for (const text of [
    "",
    "2026-02-30T10:00:00Z",
    "2026-03-01T25:00:00Z",
    "2026-03-01",
    "2026-03-01T10:00:00+99:00",
    "2026-03-01T10:00:00.Z",
    "9999-12-31T23:59:59-05:00",
    "x".repeat(1_000_000),
  ]) {
    expect(normalizeTime(text)).toBeUndefined();
  }
});

test("order looks at every digit", () => {
  const z = (fraction: string): string => `2026-03-01T10:00:00${fraction}Z`;
  expect(compareTimes(z(""), z(".0"))).toBe(0);
  expect(compareTimes(z(".5"), z(".500000001"))).toBeLessThan(0);
  expect(compareTimes(z(".9"), z(".12"))).toBeGreaterThan(0);
  expect(compareTimes(z(".999"), "2026-03-01T10:00:01Z")).toBeLessThan(0);
  expect(elapsedMs(z(".000000001"), z(".0015"))).toBe(1.499999);
  expect(elapsedMs(z(".5"), z(""))).toBe(-500);
  expect(elapsedMs("x", z(""))).toBeUndefined();
});

test("epoch numbers are read only where one unit fits", () => {
  expect(epochToTime(1_772_359_200)).toBe("2026-03-01T10:00:00Z");
  expect(epochToTime(1_772_359_200.25)).toBe("2026-03-01T10:00:00.25Z");
  expect(epochToTime(1_772_359_200_123)).toBe("2026-03-01T10:00:00.123Z");
  expect(epochToTime("1772359200123456")).toBe("2026-03-01T10:00:00.123456Z");
  expect(epochToTime("1772359200123456789")).toBe("2026-03-01T10:00:00.123456789Z");
  // As a number it has lost digits already, so only the certain ones remain.
  expect(epochToTime(Number("1772359200123456789"))).toBe("2026-03-01T10:00:00.123456Z");
  for (const value of [0, 1, -5, Number.NaN, 12_345, 99_999_999_999, "abc", ""]) {
    expect(epochToTime(value)).toBeUndefined();
  }
});
