/** From which time a reported loss may concern turns (evidence: Loss accounting). */
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { lossIntervals } from "./loss-intervals.ts";

/** A report of a producer, so many seconds into a minute of the test. */
function report(second: number, attributes: object): TurnEvent {
  return {
    schema_version: 3,
    event_id: `report-${second}`,
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`,
    application_id: "desk",
    producer_id: "p",
    attributes,
  } as unknown as TurnEvent;
}

const from = (...reports: readonly TurnEvent[]): readonly unknown[] =>
  lossIntervals(reports).map((interval) => interval.from);

test("a first report with a loss concerns the time since the producer's first event", () => {
  const lost = { loss_created: 9, loss_exported: 7, loss_dropped: 2 };
  expect(from(report(30, { ...lost, loss_covers_ms: 12_000 }))).toEqual([
    "2026-01-01T00:00:18.000Z",
  ]);
  // Later losses are after the report that has none of them.
  const later = { loss_created: 12, loss_exported: 9, loss_dropped: 3, loss_covers_ms: 42_000 };
  expect(from(report(30, { ...lost, loss_covers_ms: 12_000 }), report(59, later))).toEqual([
    "2026-01-01T00:00:18.000Z",
    "2026-01-01T00:00:30.000Z",
  ]);
});

test("a first report that does not say since when concerns all earlier times", () => {
  const lost = { loss_created: 9, loss_exported: 7, loss_dropped: 2 };
  for (const covered of [undefined, -1, "12", null, Number.NaN]) {
    const [start = ""] = from(report(30, { ...lost, loss_covers_ms: covered }));
    expect(start, String(covered)).toBeNull();
  }
  expect(from(report(30, { ...lost, loss_covers_ms: Number.MAX_SAFE_INTEGER }))).toEqual([
    "1970-01-01T00:00:00.000Z",
  ]);
});

test("what was under way at the report before may be lost after it", () => {
  const none = { loss_created: 10, loss_exported: 10, loss_dropped: 0, loss_covers_ms: 1_000 };
  const waiting = { loss_created: 50, loss_exported: 20, loss_dropped: 0, loss_covers_ms: 21_000 };
  const lost = { loss_created: 60, loss_exported: 30, loss_dropped: 30, loss_covers_ms: 41_000 };
  // The 30 lost events were made before the report of second 20, and after that of second 0.
  expect(from(report(0, none), report(20, waiting), report(40, lost))).toEqual([
    "2026-01-01T00:00:00.000Z",
  ]);
  // Without an earlier report they were made since the first event.
  expect(from(report(20, waiting), report(40, lost))).toEqual(["2025-12-31T23:59:59.000Z"]);
  const delivered = { ...waiting, loss_exported: 50 };
  expect(from(report(0, none), report(20, delivered), report(40, lost))).toEqual([
    "2026-01-01T00:00:20.000Z",
  ]);
});
