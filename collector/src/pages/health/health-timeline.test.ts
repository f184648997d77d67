/** @module The time axis of Health covers events with plausible clocks; others are counted. */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { timelineOf } from "./health-timeline.ts";

function at(timestamp: string, received_at?: string): TurnEvent {
  return {
    schema_version: 3,
    event_id: timestamp,
    event_kind: "turn",
    phase: "result",
    status: "success",
    timestamp,
    ...(received_at === undefined ? {} : { received_at }),
    attributes: {},
  };
}

const received = "2026-11-22T10:00:00Z";

test("clocks that cannot be right are counted and stretch no axis", () => {
  const fine = ["2026-11-22T09:59:00Z", "2026-11-22T09:00:00Z", "2026-11-15T10:00:00Z"];
  const wrong = ["2099-01-01T00:00:00Z", "1970-01-01T00:00:01Z", "2026-11-24T10:00:00Z"];
  const { slices, implausible } = timelineOf([...fine, ...wrong].map((time) => at(time, received)));
  expect(implausible).toBe(wrong.length);
  expect(slices.reduce((sum, { events }) => sum + events, 0)).toBe(fine.length);
  expect(slices[0]?.from.slice(0, 10)).toBe("2026-11-15");
  expect(slices.at(-1)?.from.slice(0, 10)).toBe("2026-11-22");
});

test("a row whose receipt nobody noted keeps its own time", () => {
  expect(timelineOf([at("1999-01-01T00:00:00Z")])).toMatchObject({ implausible: 0 });
  expect(timelineOf([])).toEqual({ step_ms: 0, slices: [], implausible: 0 });
});
