/**
 * Copies, retries and revisions (vocabulary: Envelopes); the order of arrival makes no difference.
 */
import fc from "fast-check";
import { expect, test } from "vitest";

import { canonicalJson } from "../event/canonical-json.ts";
import { dedupeEvents } from "./dedupe.ts";
import type { TurnEvent } from "../event/event.ts";

function event(more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: "e1",
    event_kind: "artifact",
    phase: "event",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    agent_id: "a",
    user_id: "u1",
    thread_id: "t",
    root_trace_id: "r",
    turn_id: "n",
    attributes: {},
    ...more,
  };
}

test("a retry is no revision, and a later content wins whatever came last", () => {
  const first = event({ received_at: "2026-03-01T10:00:01Z" });
  const retry = event({ received_at: "2026-03-01T10:09:00Z", producer_seq: 4 });
  const second = event({
    timestamp: "2026-03-01T10:00:00.000000001Z",
    received_at: "2026-03-01T10:00:02Z",
    attributes: { artifact_status: "updated" },
  });
  const found = dedupeEvents([retry, second, first]);
  expect(found.duplicatesRemoved).toBe(2);
  expect(found.copies).toEqual([3]);
  expect(found.events).toEqual([{ ...second, revision: 2 }]);
  expect(dedupeEvents([retry, first]).events).toEqual([{ ...first, revision: 1 }]);
});

test("at equal times the later receipt of a new content wins, not the retry of an old one", () => {
  const old = event({ received_at: "2026-03-01T10:00:01Z" });
  const fresh = event({ received_at: "2026-03-01T10:00:02Z", status: "error" });
  const retry = event({ received_at: "2026-03-01T10:00:09Z" });
  expect(dedupeEvents([old, fresh, retry]).events[0]).toMatchObject({
    status: "error",
    revision: 2,
  });
});

test("any field of the identity, and the principal of a received span, keep events apart", () => {
  const changes: Partial<TurnEvent>[] = [
    { application_id: "x" },
    { agent_id: "x" },
    { user_id: "x" },
    { user_id: null },
    { thread_id: "x" },
    { root_trace_id: "x" },
    { turn_id: "x" },
    { event_id: "x" },
    { ingest_principal: "p" },
    { ingest_principal: "q" },
  ];
  const { user_id: _, ...unattributed } = event();
  const all = [event(), unattributed, ...changes.map((change) => event(change))];
  expect(dedupeEvents(all).events).toHaveLength(all.length);
  // Identity of a received span is derived on read, so it does not distinguish copies.
  const received = [
    event({ ingest_principal: "p" }),
    event({ ingest_principal: "p", turn_id: "z" }),
  ];
  expect(dedupeEvents(received)).toMatchObject({ duplicatesRemoved: 1 });
});

test("the order of the input decides nothing", () => {
  const copy = fc.record({
    event_id: fc.constantFrom("e1", "e2"),
    status: fc.constantFrom("success" as const, "error" as const),
    timestamp: fc.constantFrom("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.1Z"),
    received_at: fc.constantFrom("2026-03-01T10:00:01Z", "2026-03-01T10:00:02Z"),
    producer_seq: fc.nat({ max: 3 }),
  });
  const settled = (events: readonly TurnEvent[]): string[] =>
    dedupeEvents(events)
      .events.map((item) => canonicalJson(item))
      .toSorted();
  fc.assert(
    fc.property(fc.array(copy, { maxLength: 12 }), (rows) => {
      const events = rows.map((row) => event(row));
      expect(settled(events.toReversed())).toEqual(settled(events));
    }),
  );
});
