/** @module Numbers, durations and times in words. */
import { expect, test } from "vitest";

import {
  agoText,
  bytesText,
  countText,
  durationText,
  shareText,
  shortCountText,
  shortId,
  spanText,
  timeText,
} from "./figures.ts";

test.each([
  [0, "0 ms"],
  [0.0004, "<1 µs"],
  [0.42, "420 µs"],
  [1.2345, "1.23 ms"],
  [999.6, "1000 ms"],
  [1_240, "1.24 s"],
  [61_000, "1 m 1 s"],
  [300_000, "5 min"],
  [3_600_000, "1 h"],
  [3_725_000, "1 h 2 m"],
  [172_800_000, "2 d"],
  [273_600_000, "3 d 4 h"],
])("%d ms is %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [250, "250 ms"],
  [1_000, "1 second"],
  [90_000, "90 seconds"],
  [900_000, "15 minutes"],
  [3_600_000, "1 hour"],
  [604_800_000, "7 days"],
  [1_500, "1.5 s"],
])("a span of %d ms is %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

test("counts, shares and bytes", () => {
  expect(countText(12_408)).toBe("12,408");
  expect(shortCountText(9_999)).toBe("9,999");
  expect(shortCountText(12_408)).toBe("12.4K");
  expect(shareText(3, 8)).toBe("38 %");
  expect(shareText(0, 0)).toBe("0 %");
  expect(bytesText(1_536)).toBe("1.5 KiB");
});

test("times keep every digit that says something, and what is no time stays as it is", () => {
  expect(timeText("2026-11-21T14:05:09.120450000Z", "utc", "full")).toBe(
    "2026-11-21 14:05:09.12045 UTC",
  );
  expect(timeText("2026-11-21T14:05:09.000Z", "utc", "full")).toBe("2026-11-21 14:05:09.000 UTC");
  expect(timeText("2026-11-21T14:05:09Z", "utc", "full")).toBe("2026-11-21 14:05:09 UTC");
  expect(timeText("2026-11-21T14:05:09.1Z", "utc", "time")).toBe("14:05:09.100");
  expect(timeText("2026-11-21T14:05:09Z", "utc", "daytime")).toBe("11-21 14:05:09");
  expect(timeText("yesterday", "utc", "full")).toBe("yesterday");
});

test("a row of another day than the present one has its day, in the chosen clock", () => {
  const now = Date.parse("2026-11-21T23:30:00Z");
  expect(timeText("2026-11-21T14:05:09.1Z", "utc", "row", now)).toBe("14:05:09.100");
  expect(timeText("2026-11-20T14:05:09.1Z", "utc", "row", now)).toBe("11-20 14:05:09");
  // A clock that is ahead.
  expect(timeText("2026-11-22T00:05:09Z", "utc", "row", now)).toBe("11-22 00:05:09");
  const local = new Date(2026, 10, 21, 0, 30).getTime();
  const before = new Date(2026, 10, 20, 23, 59, 58).toISOString();
  expect(timeText(before, "local", "row", local)).toBe("11-20 23:59:58");
});

test("how long ago a time was, in the unit that fits", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(agoText("2026-11-21T11:59:57.500Z", now)).toBe("2 seconds ago");
  expect(agoText("2026-11-21T09:59:00Z", now)).toBe("2 hours ago");
  expect(agoText("2026-11-20T11:00:00Z", now)).toBe("1 day ago");
  // Another machine's clock is ahead.
  expect(agoText("2026-11-21T12:05:00Z", now)).toBe("in 5 minutes");
  expect(agoText("yesterday", now)).toBe("");
});

test("a long id keeps its beginning and its end", () => {
  expect(shortId("4bf92f3577b34da6a3ce929d0e0e4736", 12)).toBe("4bf92f3…4736");
  expect(shortId("short", 12)).toBe("short");
});
