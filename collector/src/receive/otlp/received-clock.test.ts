/** The clock of receipt never runs backwards. */
import { expect, test } from "vitest";

import { createReceivedClock } from "./received-clock.ts";

test("microseconds, never twice, never backwards", () => {
  const times = [1_700_000_000_000_001, 1_700_000_000_000_001, 1_600_000_000_000_000];
  const clock = createReceivedClock(() => times.shift() ?? 0);
  expect([clock(), clock(), clock(), clock()]).toEqual([
    "2023-11-14T22:13:20.000001Z",
    "2023-11-14T22:13:20.000002Z",
    "2023-11-14T22:13:20.000003Z",
    "2023-11-14T22:13:20.000004Z",
  ]);
});

test("by default the system's time", () => {
  const clock = createReceivedClock();
  expect(Math.abs(Date.parse(clock()) - Date.now())).toBeLessThan(1_000);
});
