/**
 * Normalized output is accepted again without a finding: a page's items can be posted, a saved
 * window can be judged (vocabulary: Event fields; evidence: Normalize). Ids of every form are tried
 * in every field that has one, and at the length at which a derived id could exceed the limit.
 */
import { limits } from "@turnproof/semconv";
import fc from "fast-check";
import { expect, test } from "vitest";

import { normalize, normalizeEvents } from "./normalize.ts";

const ids = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 24 }),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 24 }),
  fc.constantFrom(
    "!",
    "a b",
    "ann@example.com",
    "https://a.example/",
    "sk-live-0",
    "{}",
    "é",
    "💡",
  ),
  fc.integer({ min: limits.stringCharsMax - 20, max: 520 }).map((length) => "x".repeat(length)),
  fc.nat(),
);
const time = fc.constantFrom("2026-03-01T10:00:00Z", "2026-03-01T10:00:00.5Z", 1_772_359_200);
const names = [
  "record_id",
  "id",
  "event_id",
  "external_id",
  "task_id",
  "span_id",
  "parent_span_id",
  "caused_by_event_id",
  "producer_id",
  "ingest_principal",
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "root_trace_id",
  "tool_call_id",
  "operation",
  "component",
  "tool_name",
  "status",
  "coverage_profile",
];
const fields = fc.dictionary(fc.constantFrom(...names), ids, {
  maxKeys: 6,
  noNullPrototype: true,
});
const row = fc
  .tuple(fields, fields, time, time, fc.constantFrom(undefined, 1, 2, 3))
  .chain(([own, inner, timestamp, started_at, schema_version]) =>
    fc
      .constantFrom("tool_call", "artifact", "delivery", "intent", "conversation", "tool_result")
      .map((event_kind) => ({
        ...own,
        ...(schema_version === undefined ? {} : { schema_version }),
        event_kind,
        timestamp,
        started_at,
        attributes: inner,
      })),
  );

const again = (events: readonly unknown[]): unknown =>
  normalizeEvents(JSON.parse(JSON.stringify(events)) as unknown[]).errors;

test("ids of any text and length, in any place, in a row of any store", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 3 }), (rows) => {
      const bundle = { type: "trace_bundle", version: 2, events: rows };
      for (const { events } of [
        normalize(rows),
        normalize([bundle, { type: "trace_bundle", version: 1, events: rows }]),
        normalize(rows, { store: "conversation" }),
        normalize(rows, { store: "tool_log" }),
        normalizeEvents(rows),
      ]) {
        expect(again(events)).toEqual([]);
      }
    }),
    { numRuns: Number(process.env["TURNPROOF_TEST_FUZZ"] ?? 400) },
  );
});

test("a label that the guard refuses and an id that outgrows one, by name", () => {
  const long = "x".repeat(limits.stringCharsMax);
  const stated = { started_at: "2026-03-01T10:00:00Z" };
  const labelled = normalize([{ ...stated, record_id: "row", task_id: "!" }], {
    store: "conversation",
  });
  expect(labelled.errors.map(({ code }) => code)).toEqual(["invalid_task_id"]);
  expect(labelled.events[0]).not.toHaveProperty("task_id");
  expect(again(labelled.events)).toEqual([]);
  const read = normalize([{ ...stated, record_id: long }], { store: "conversation" }).events;
  const span = { event_kind: "tool_call", timestamp: stated.started_at, span_id: long };
  const spans = normalizeEvents([{ ...span, schema_version: 3, attributes: {} }]).events;
  for (const events of [read, spans]) {
    expect(events).toMatchObject([{ event_id: expect.stringMatching(/^derived:[0-9a-f]{16}$/) }]);
    expect(again(events)).toEqual([]);
  }
});

test("a name that an older guard let pass becomes its digest, and its record has no fault", () => {
  const stated = "please find out where my last order went";
  const { events, errors } = normalizeEvents([
    {
      schema_version: 3,
      event_id: "e1",
      event_kind: "tool_call",
      phase: "result",
      operation: `execute_tool ${stated}`,
      timestamp: "2026-03-01T10:00:00.000Z",
      attributes: { tool_name: stated },
    },
  ]);
  expect(errors).toEqual([]);
  expect(events[0]?.operation).toBe("execute_tool");
  expect(events[0]?.attributes.tool_name).toMatch(/^n0_[a-z2-7]{26}$/);
  expect(JSON.stringify(events)).not.toContain("last order");
});
