/** @module Times of a filter as they are written, and what they mean. */
import { expect, test } from "vitest";

import {
  requestedRange,
  inRange,
  isRelative,
  rangeOf,
  readTime,
  refusedRange,
} from "./time-range.ts";

const now = Date.parse("2026-11-25T12:00:00Z");

test.each([
  ["-15m", "2026-11-25T11:45:00.000Z"],
  ["-24h", "2026-11-24T12:00:00.000Z"],
  ["-7d", "2026-11-18T12:00:00.000Z"],
  ["-4w", "2026-10-28T12:00:00.000Z"],
  ["-90s", "2026-11-25T11:58:30.000Z"],
  ["2026-11-20", "2026-11-20T00:00:00Z"],
  ["2026-11-20T08:30", "2026-11-20T08:30:00Z"],
  ["2026-11-20T08:30:01.5+02:00", "2026-11-20T06:30:01.5Z"],
])("%s is %s", (text, time) => {
  expect(readTime(text, now)).toBe(time);
});

test("a relative time reaches ten years and no further", () => {
  expect(readTime("-3650d", now)).toBe("2016-11-27T12:00:00.000Z");
  for (const text of ["-3651d", "-99999d", "-99999w", "-99999h"]) {
    expect([readTime(text, now), isRelative(text)]).toEqual([undefined, false]);
    expect(refusedRange({ start_time: text }, now)?.noTimes).toEqual(["start_time"]);
  }
});

test.each(["", "-", "-h", "24h", "-1y", "-1.5h", "--1h", "-100000h", "now", "2026-13-01T08:30"])(
  "%o is no time",
  (text) => {
    expect([readTime(text, now), isRelative(text)]).toEqual([undefined, false]);
  },
);

test("a chart covers a closed range, and a relative one until now", () => {
  const [from, to] = [Date.parse("2026-11-25T11:00:00Z"), Date.parse("2026-11-25T11:30:00Z")];
  expect(rangeOf({ start_time: "-1h" }, now)).toEqual([from, now]);
  expect(rangeOf({ start_time: "-1h", end_time: "-30m" }, now)).toEqual([from, to - 1]);
  expect(rangeOf({ start_time: "2026-11-25T11:00" }, now)).toBeUndefined();
  expect(rangeOf({ end_time: "-1h" }, now)).toBeUndefined();
});

test("an address takes over a range, and keeps its own", () => {
  const query = new URLSearchParams("start_time=-24h&end_time=&agent_id=a");
  expect(requestedRange(query)).toEqual({ start_time: "-24h" });
  expect(inRange("/cost", query)).toBe("/cost?start_time=-24h");
  expect(inRange("/cost?by=agent", query)).toBe("/cost?by=agent&start_time=-24h");
  expect(inRange("/cost?end_time=-1h", query)).toBe("/cost?end_time=-1h");
  expect(inRange("/cost", new URLSearchParams())).toBe("/cost");
});
