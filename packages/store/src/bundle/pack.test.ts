/** Rows keep their input, are separate by root, and are found by every word that a read uses. */
import { matches } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { addNamedIds, mentions, ownWords } from "../mention.ts";
import { settle } from "../settle.ts";
import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";
import { issueOperatorGrant } from "../scope.ts";
import { allTenants } from "../testing/sample-event.ts";
import { randomEvent } from "../testing/random-world.ts";
import { decodeBody } from "./decode.ts";
import { joinSegments } from "./encode.ts";
import { packBundles, packPaced } from "./pack.ts";
import type { BundleRow } from "./pack.ts";
import { hashesOfId, rootWords, rowWords } from "./bundle-words.ts";

const batches = fc
  .array(randomEvent, { minLength: 1, maxLength: 12 })
  .map((events) => events.map((event) => storedForm(event, "2026-03-01T10:00:01.000123Z")));

const eventsOf = (row: BundleRow): StoredEvent[] =>
  decodeBody(row.root_trace_id, joinSegments([row.segments]));

const text = (event: StoredEvent): string =>
  JSON.stringify(Object.entries(event).toSorted(([a], [b]) => (a < b ? -1 : 1)));

test("nothing is lost, and no row holds two roots", () => {
  fc.assert(
    fc.property(batches, (events) => {
      const rows = packBundles(events);
      const held = rows.map((row) => ({ row, own: eventsOf(row) }));
      expect(held.flatMap(({ own }) => own.map(text)).toSorted()).toEqual(
        events.map(text).toSorted(),
      );
      for (const { row, own } of held) {
        expect(own.length).toBe(row.events);
        for (const event of own) {
          expect(event.root_trace_id).toBe(row.root_trace_id);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

const fields = [
  "user_id",
  "agent_id",
  "application_id",
  "thread_id",
  "turn_id",
  "status",
  "event_kind",
] as const;

test("every event is found by each id that it names and by each value that a read filters by", () => {
  fc.assert(
    fc.property(batches, (events) => {
      const rows = packBundles(events);
      const words = Map.groupBy(rows, (row) => row.root_trace_id);
      for (const { event } of settle(events)) {
        const own = new Set(
          (words.get(event.root_trace_id ?? "") ?? []).flatMap((row) => row.hashes),
        );
        const ids = new Set(ownWords(event));
        addNamedIds(event, (id) => ids.add(id));
        for (const id of ids) {
          expect(mentions(event, id)).toBe(true);
          expect(hashesOfId(id).some((hash) => own.has(hash))).toBe(true);
        }
        const requests = fields.flatMap((field) =>
          event[field] === undefined ? [] : [{ store: "all", [field]: event[field] } as const],
        );
        for (const query of [...requests, { store: event.source_store ?? "trace" } as const]) {
          expect(matches(event, query)).toBe(true);
          const requested = [...rootWords(allTenants, query), ...rowWords(query)];
          expect([query, requested.every((hash) => own.has(hash))]).toEqual([query, true]);
          const operator = issueOperatorGrant(
            event.application_id === undefined ? {} : { applicationId: event.application_id },
          );
          expect(rootWords({ operator }, query).every((hash) => own.has(hash))).toBe(true);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test("a large root has several rows of bounded size", () => {
  const events = Array.from({ length: 4_321 }, (_, at) =>
    storedForm(
      {
        schema_version: 3,
        event_id: `s${at}:result`,
        event_kind: "span",
        phase: "result",
        status: "success",
        timestamp: "2026-03-01T10:00:00.000000001Z",
        root_trace_id: "r",
        span_id: `s${at}`,
        attributes: {},
      },
      "2026-03-01T10:00:01Z",
    ),
  );
  const rows = packBundles(events);
  expect(rows.length).toBeGreaterThan(4);
  expect(Math.max(...rows.map((row) => row.events))).toBeLessThanOrEqual(1_000);
  expect(Math.max(...rows.map((row) => row.segments.length))).toBeLessThanOrEqual(262_144);
  expect(rows.flatMap(eventsOf)).toEqual(events);
});

test("many events are packed in parts, between which others are answered, to the same rows", async () => {
  const many = Array.from({ length: 20_000 }, (_, index) =>
    storedForm(
      {
        schema_version: 3,
        event_id: `${index}:result`,
        event_kind: "tool_call",
        phase: "result",
        status: "success",
        timestamp: "2026-03-01T10:00:00Z",
        root_trace_id: "root",
        attributes: {},
      },
      "2026-03-01T10:00:01.000123Z",
    ),
  );
  let others = 0;
  const timer = setInterval(() => (others += 1), 0);
  const rows = await packPaced(many);
  clearInterval(timer);
  expect(others).toBeGreaterThan(3);
  expect(rows).toEqual(packBundles(many));
});
