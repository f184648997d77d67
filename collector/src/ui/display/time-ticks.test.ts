/** The ticks of a chart: round times, few of them, away from both ends. */
import { expect, test, vi } from "vitest";

import { timeText } from "./figures.ts";
import { timeTicks } from "./time-ticks.ts";

const at = (text: string): number => Date.parse(`2026-11-${text}Z`);
const words = (from: string, to: string): readonly string[] => {
  const { atMs, form } = timeTicks(at(from), at(to));
  return atMs.map((ms) => timeText(new Date(ms).toISOString(), "utc", form));
};

test("a week has its days, a day its hours, a minute its seconds", () => {
  expect(words("20T12:00:00", "27T15:00:00")).toEqual(["11-21", "11-23", "11-25", "11-27"]);
  expect(words("20T09:10:00", "21T09:10:00")).toEqual(["12:00", "18:00", "00:00", "06:00"]);
  expect(words("20T09:00:00", "20T09:01:00")).toEqual([
    "09:00:10",
    "09:00:20",
    "09:00:30",
    "09:00:40",
    "09:00:50",
  ]);
});

test("a tick keeps away from both ends, and a moment has none", () => {
  expect(words("20T00:00:00", "26T00:00:00")).toEqual([
    "11-21",
    "11-22",
    "11-23",
    "11-24",
    "11-25",
  ]);
  expect(words("20T00:00:00.100", "20T00:00:00.900")).toEqual([]);
});

test("a span of years has few ticks", () => {
  const { atMs } = timeTicks(0, 40 * 365 * 86_400_000);
  expect(atMs.length).toBeLessThanOrEqual(6);
});

test.each([
  ["America/New_York", "2026-11-20T12:00:00Z", "2026-11-27T15:00:00Z", "date"],
  ["Europe/Berlin", "2026-10-22T12:00:00Z", "2026-10-28T15:00:00Z", "date"],
  ["Asia/Kolkata", "2026-11-20T09:10:00Z", "2026-11-21T13:10:00Z", "minute"],
])("ticks of the local clock are round in %s", (zone, from, to, form) => {
  vi.stubEnv("TZ", zone);
  const ticks = timeTicks(Date.parse(from), Date.parse(to), "local");
  const texts = ticks.atMs.map((ms) => timeText(new Date(ms).toISOString(), "local", ticks.form));
  vi.unstubAllEnvs();
  expect(ticks.form).toBe(form);
  expect(texts.length).toBeGreaterThan(2);
  // A date without an hour is a midnight.
  for (const text of texts)
    expect(text).toMatch(form === "date" ? /^\d\d-\d\d$/ : /^(00|06|12|18):00$/);
});

test("a repeated hour has both of its instants around it, and no tick twice", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const [from, to] = [Date.parse("2026-10-24T22:30:00Z"), Date.parse("2026-10-25T03:30:00Z")];
  const { atMs } = timeTicks(from, to, "local");
  vi.unstubAllEnvs();
  expect(atMs).toEqual([...new Set(atMs)].toSorted((a, b) => a - b));
});
