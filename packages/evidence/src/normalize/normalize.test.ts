/**
 * The normalizer under load and with hostile input, and the bundle codec's round trip (vocabulary:
 * Envelopes; evidence: Normalize).
 */
import { eventKinds, eventStatuses } from "@turnproof/semconv";
import fc from "fast-check";
import { expect, test } from "vitest";

import { bundleDigestInput, encodeBundle, encodeRecord } from "./bundle.ts";
import { canonicalJson } from "../event/canonical-json.ts";
import type { TurnEvent } from "../event/event.ts";
import { normalize, normalizeEvents } from "./normalize.ts";

const id = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const time = fc
  .tuple(fc.integer({ min: 0, max: 59 }), fc.stringMatching(/^\d{0,9}$/))
  .map(([s, f]) => `2026-03-01T10:00:${String(s).padStart(2, "0")}${f === "" ? "" : `.${f}`}Z`);
const ref = fc.record(
  {
    resource_type: fc.constantFrom("page", "post"),
    ref: id,
    version: fc.constantFrom("1", "2"),
    ownership_verified: fc.boolean(),
    provenance_status: fc.constantFrom("verified" as const, "missing" as const),
  },
  { requiredKeys: ["resource_type", "ref"] },
);

const attributesOf = {
  tool_call: fc.record({ tool_name: id, result_count: fc.nat(), degraded: fc.boolean() }),
  delivery: fc.record({ emitted: fc.boolean(), acknowledged: fc.constantFrom(true, false, null) }),
  intent: fc.record({ expected_artifact_types: fc.array(id, { maxLength: 3 }) }),
  outcome: fc.record({
    verified: fc.boolean(),
    metric_values: fc.array(fc.nat(), { maxLength: 3 }),
  }),
};

const event: fc.Arbitrary<TurnEvent> = fc
  .constantFrom(...(Object.keys(attributesOf) as (keyof typeof attributesOf)[]))
  .chain((event_kind) =>
    fc.record({
      schema_version: fc.constant(3),
      event_id: id,
      event_kind: fc.constant(event_kind),
      phase: fc.constantFrom("start" as const, "result" as const, "event" as const),
      status: fc.constantFrom(...eventStatuses),
      timestamp: time,
      started_at: maybe(time),
      received_at: maybe(time),
      duration_ms: maybe(fc.nat()),
      span_id: maybe(id),
      parent_span_id: maybe(id),
      external_id: maybe(id),
      task_id: maybe(id),
      agent_id: maybe(id),
      user_id: fc.constantFrom(undefined, null, "u1", "u2"),
      thread_id: maybe(fc.constantFrom("t1", "t2")),
      root_trace_id: maybe(fc.constant("r")),
      turn_id: maybe(id),
      dialect: maybe(fc.constantFrom("gen_ai" as const, "turnproof" as const)),
      ingest_principal: maybe(id),
      producer_seq: maybe(fc.nat()),
      input_refs: maybe(fc.array(ref, { maxLength: 3 })),
      output_refs: maybe(fc.array(ref, { maxLength: 2 })),
      attributes: attributesOf[event_kind],
    }),
  )
  .map((partial) => JSON.parse(JSON.stringify(partial)) as TurnEvent);

const texts = (events: readonly TurnEvent[]): string[] =>
  events.map((item) => canonicalJson({ ...item, revision: undefined })).toSorted();

test("what is encoded is read back: every field, digit, tenant state, and null", () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 8 }), (events) => {
      const given = normalizeEvents(events).events;
      const record = encodeRecord(encodeBundle(given), {
        recordId: "r",
        at: "2026-03-01T11:00:00Z",
      });
      const stored = JSON.parse(JSON.stringify(record)) as { payload: unknown };
      const read = normalize([stored.payload]);
      expect(read.errors).toEqual([]);
      expect(texts(read.events)).toEqual(texts(given));
      // Wrapped in its record the bundle reads the same, except for a receipt that was not
      // recorded before.
      const times = (list: readonly TurnEvent[]): string[] =>
        texts(list.map((item) => ({ ...item, received_at: "" })));
      expect(times(normalize([stored]).events)).toEqual(times(given));
      // Reading normalized events changes nothing.
      expect(texts(normalizeEvents(read.events).events)).toEqual(texts(given));
    }),
    { numRuns: 200 },
  );
});

test("a bundle is the same text whatever the order of its events", () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 8 }), (events) => {
      const text = bundleDigestInput(encodeBundle(events));
      expect(bundleDigestInput(encodeBundle(events.toReversed()))).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test("a bundle says what is in it", () => {
  const [one] = fc.sample(event, { numRuns: 1, seed: 7 });
  const events: TurnEvent[] = [
    {
      ...one,
      event_id: "1",
      event_kind: "tool_call",
      status: "error",
      attributes: { tool_name: "x" },
    },
    {
      ...one,
      event_id: "2",
      event_kind: "model_call",
      attributes: { model: "m", coverage_profile: "p" },
    },
  ].map((item) => item as TurnEvent);
  expect(encodeBundle(events)).toMatchObject({
    type: "trace_bundle",
    version: 2,
    event_count: 2,
    event_kind_counts: { model_call: 1, tool_call: 1 },
    tool_names: ["x"],
    models: ["m"],
    has_error: true,
    coverage_profiles: ["p"],
    schema_versions: [3],
  });
});

const hostile = fc.anything({
  withNullPrototype: true,
  withBigInt: true,
  withDate: true,
  maxDepth: 2,
});
const names = [
  "type",
  "version",
  "events",
  "event",
  "identity",
  "payload",
  "event_count",
  "record_type",
  "event_kind",
  "event_type",
  "event_id",
  "schema_version",
  "timestamp",
  "user_id",
  "agent_id",
  "attributes",
  "data",
  "usage",
  "task_id",
  "span_id",
  "parent_span_id",
  "phase",
  "status",
  "input_refs",
  "output_refs",
  "selection_ledger",
  "links",
  "identity_derived",
  "dropped",
  "duration_ms",
  "started_at",
  "role",
  "content",
  "source_store",
  "__proto__",
  "constructor",
];
const likely = fc.oneof(
  hostile,
  fc.constantFrom<unknown>(
    ...eventKinds,
    "trace_bundle",
    "turn_result",
    "tool_result",
    "2026-03-01T10:00:00Z",
    1,
    2,
    3,
    1e308,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    null,
    "",
    "x".repeat(5_000),
    "\u0000",
  ),
);
const level = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 12, noNullPrototype: false });
const child = level(likely);
const bundle = level(fc.oneof(likely, child, fc.array(child, { maxLength: 4 })));
const row = fc.oneof(child, bundle, level(fc.oneof(likely, bundle)), hostile);

test("malformed rows of any shape give findings, never an exception, never a half-read tenant", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
      for (const result of [
        normalize(rows),
        normalize(rows, { store: "conversation" }),
        normalize(rows, { store: "tool_log" }),
        normalizeEvents(rows),
      ]) {
        for (const item of result.events) {
          expect(item.event_id).not.toBe("");
          expect(eventKinds).toContain(item.event_kind);
          expect(item.user_id === undefined || item.user_id === null || item.user_id !== "").toBe(
            true,
          );
          expect(item.duration_ms ?? 0).toBeGreaterThanOrEqual(0);
        }
        // All output can be written and is accepted again without a finding.
        const again = normalizeEvents(JSON.parse(JSON.stringify(result.events)) as unknown[]);
        expect(again.errors).toEqual([]);
      }
    }),
    { numRuns: Number(process.env["TURNPROOF_TEST_FUZZ"] ?? 400) },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("traps, cycles, deep nesting and huge texts are findings", () => {
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error("trap");
      },
    },
  );
  const cycle: Record<string, unknown> = { type: "trace_bundle", version: 2 };
  cycle["events"] = [
    cycle,
    { event_kind: "intent", timestamp: "2026-03-01T10:00:00Z", attributes: cycle },
  ];
  let deep: unknown = "leaf";
  for (let i = 0; i < 10_000; i += 1) deep = { payload: deep, attributes: deep };
  const huge = {
    event_kind: "intent",
    event_id: "x".repeat(1_000_000),
    timestamp: "y".repeat(1_000_000),
  };
  const result = normalize([trap, cycle, deep, huge]);
  expect(result.events).toMatchObject([{ event_kind: "intent", attributes: {} }]);
  expect(result.normalization_errors).toBeGreaterThanOrEqual(4);
  expect(JSON.stringify(result).length).toBeLessThan(2_000);
  expect(normalizeEvents([trap, cycle, deep, huge]).errors[0]?.code).toBe("invalid_event");
});

test("a store that did not answer is a finding, and other records are no evidence", () => {
  const result = normalize([{ record_type: "experiment", payload: { a: 1 } }], {
    failedStores: ["conversation"],
  });
  expect(result).toMatchObject({
    events: [],
    source_rows: 1,
    errors: [{ code: "provider_query_failed", count: 1, source_store: "conversation" }],
  });
});

test("a thousand events at one time stay a thousand", () => {
  const events = Array.from({ length: 1_000 }, (_, i) => ({
    schema_version: 3,
    event_id: `e${i}`,
    event_kind: "intent",
    timestamp: "2026-03-01T10:00:00Z",
  }));
  expect(normalizeEvents(events).events).toHaveLength(1_000);
});

test("a bundle that was serialised as a JSON text is read, wherever it stands", () => {
  const child = { event_id: "e1", event_kind: "turn", timestamp: "2026-03-01T10:00:00Z" };
  const bundle = { type: "trace_bundle", version: 2, events: [{ schema_version: 3, ...child }] };
  const text = JSON.stringify(bundle);
  const record = { record_id: "r1", record_type: "trace_bundle" };
  for (const row of [
    bundle,
    text,
    JSON.stringify(text),
    JSON.stringify({ ...record, payload: bundle }),
    { ...record, payload: text },
    { ...record, payload: JSON.stringify(text) },
    { record_id: "r1", payload: text },
    { bundle: text },
  ]) {
    const { events, errors } = normalize([row]);
    expect([row, events.map(({ event_id }) => event_id), errors]).toEqual([row, ["e1"], []]);
  }
  // A message may look like JSON; rows of other stores are never parsed.
  expect(normalize([text], { store: "conversation" }).events).toEqual([]);
  expect(normalize([{ id: "m1", payload: text }], { store: "conversation" }).events).not.toEqual(
    expect.arrayContaining([expect.objectContaining({ event_id: "e1" })]),
  );
  expect(normalize(["plain words", "{", "[]", '"text"']).errors).toMatchObject([
    { code: "invalid_source_row", count: 4 },
  ]);
});
