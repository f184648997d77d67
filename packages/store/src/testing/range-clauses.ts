/**
 * @module RangeClauses: a filter by an event's own time is a condition on what is stored, and its
 * answer equals the filter over all events, whatever the clocks.
 */
import { deepEqual, equal } from "node:assert/strict";

import { matches } from "@turnproof/evidence";
import type { EventQuery, TurnEvent } from "@turnproof/evidence";

import type { EvidenceStore } from "../evidence-store.ts";
import type { KitClause } from "./contract.ts";
import { onStore } from "./on-store.ts";
import { allTenants, receivedAt, sampleEvent } from "./sample-event.ts";
import { eventsOf, walkPages } from "./walk-pages.ts";

/** Own times of one history, in no order: clocks that are wrong, and texts of any digits. */
const times = [
  "2026-03-01T10:00:05.999999999Z",
  "2026-03-01T10:00:06Z",
  "2026-03-01T10:00:06.000000000000000001Z",
  "2026-03-01T10:00:05Z",
  "2031-07-01T00:00:00.5Z",
  "1969-12-31T23:59:59.999999999Z",
  "2026-03-01T10:00:06.5Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999999Z",
  "1899-12-31T23:59:59Z",
  "2026-02-28T23:59:59.100000000Z",
] as const;

/** Bounds at, between and beyond these times. */
const bounds = [
  "0001-01-01T00:00:00Z",
  "1970-01-01T00:00:00Z",
  "2026-03-01T10:00:05.5Z",
  "2026-03-01T10:00:06Z",
  "2026-03-01T10:00:06.5Z",
  "2031-07-01T00:00:00.5Z",
  undefined,
] as const;

const idOf = ({ root_trace_id: root, event_id: id }: TurnEvent): string => `${root ?? ""}/${id}`;

async function namesOf(store: EvidenceStore, query: EventQuery): Promise<readonly string[]> {
  const pages = await walkPages((o) => store.page(allTenants, query, o), { limit: 20 });
  return eventsOf(pages).map(idOf).toSorted();
}

function rangesOf(): readonly EventQuery[] {
  return bounds.flatMap((start) =>
    bounds.map((end) => ({
      ...(start === undefined ? {} : { start_time: start }),
      ...(end === undefined ? {} : { end_time: end }),
    })),
  );
}

/** The clauses. */
export const rangeClauses: readonly KitClause[] = [
  onStore("a filter by time gives what it gives over all events", async (store, put) => {
    const at = (root: string, span: string, timestamp: string) =>
      sampleEvent(span, { root_trace_id: root, timestamp, user_id: "u", agent_id: "a" });
    const own = times.map((time, n) => at(`root-${n}`, `own-${n}`, time));
    await put(1, own.slice(0, 6));
    await put(2, own.slice(6));
    // One root over several drains, whose times go forth and back.
    for (const [n, time] of times.entries()) await put(60 * n + 3, [at("long", `in-${n}`, time)]);
    // One row whose first and last event are neither its earliest nor its latest.
    await put(
      1_000,
      times.map((time, n) => at("wide", `of-${n}`, time)),
    );
    // A later content with another time: only the shown one counts.
    await put(2_000, [at("root-0", "own-0", times[4]), at("root-4", "own-4", times[0])]);
    const all = eventsOf([await store.page(allTenants, {}, { limit: 99 })]);
    equal(all.length, 3 * times.length);
    for (const query of rangesOf()) {
      const wanted = all.filter((event) => matches(event, query)).map(idOf);
      deepEqual(await namesOf(store, query), wanted.toSorted(), JSON.stringify(query));
    }
  }),
  onStore("a narrow range is read without what lies outside", async (store, put) => {
    const roots = Array.from({ length: 90 }, (_, n) =>
      sampleEvent(`s-${n}`, { root_trace_id: `root-${n}`, timestamp: receivedAt(n * 60) }),
    );
    await put(9_000, roots.slice(45));
    await put(9_001, roots.slice(0, 45));
    await put(9_002, [
      sampleEvent("early", { root_trace_id: "root-80", timestamp: receivedAt(0) }),
    ]);
    const page = async (from: number, to: number) => {
      const query = { start_time: receivedAt(from), end_time: receivedAt(to) };
      // Fewer rows than lie before those of the range.
      return store.page(allTenants, query, { limit: 9, budgetRows: 8 });
    };
    const [middle, first, none] = [await page(2_400, 2_461), await page(0, 1), await page(1, 60)];
    deepEqual(middle.events.map(idOf), ["root-41/s-41:result", "root-40/s-40:result"]);
    deepEqual(first.events.map(idOf).toSorted(), ["root-0/s-0:result", "root-80/early:result"]);
    deepEqual(none.events, []);
    for (const { bounded, next } of [middle, first, none]) {
      deepEqual([bounded, next], [false, null]);
    }
  }),
];
