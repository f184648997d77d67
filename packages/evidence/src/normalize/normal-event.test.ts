/**
 * @module Tests of NormalEvent: the fast path and the normalizer give equal results for any input.
 */
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { normalizeEvents } from "./normalize.ts";

const source = { resource_type: "document", ref: "doc-7", version: "3", role: "source" };
const whole: TurnEvent = {
  schema_version: 3,
  event_id: "00f067aa0ba902b7:result",
  external_id: "job-1",
  event_kind: "delivery",
  operation: "deliver support-desk",
  phase: "result",
  status: "success",
  timestamp: "2026-02-28T10:00:00.123456789Z",
  started_at: "2026-02-28T10:00:00Z",
  received_at: "2026-02-28T10:00:05Z",
  duration_ms: 12.5,
  span_id: "00f067aa0ba902b7",
  parent_span_id: "00f067aa0ba902b8",
  parent_remote: false,
  caused_by_event_id: "event-1",
  task_id: "task-1",
  component: "turnproof.exporter",
  dialect: "turnproof",
  ingest_principal: "desk",
  ingest_trusted: true,
  producer_id: "desk-1",
  producer_seq: 7,
  identity_derived: ["agent_id", "turn_id"],
  source_store: "trace",
  revision: 1,
  application_id: "support-desk",
  agent_id: "agent-1",
  user_id: null,
  memory_id: "memory-1",
  thread_id: "thread-1",
  run_id: "run-1",
  root_trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  turn_id: "turn-1",
  input_refs: [{ ...source, ownership_verified: true, provenance_status: "verified" }],
  output_refs: [source],
  attributes: { emitted: true, acknowledged: null, contract_name: "feed", delivery_target: "page" },
  dropped: { attribute_unknown: 2 },
};

/** The same value with an unknown key, so that it takes the slow path. */
const longWay = (value: object): object => ({ ...value, nothing: undefined });

const hostile: readonly unknown[] = [
  null,
  undefined,
  "",
  " ",
  "a\nb",
  " padded",
  "person@example.com",
  "https://example.com/path",
  "sk-live-0123456789abcdefghijklmnop",
  "an ordinary sentence of more than a few words that nobody may store",
  "x".repeat(241),
  "2026-02-30T10:00:00Z",
  "2026-02-28T10:00:00+01:00",
  "2024-02-29T10:00:00Z",
  "4bf92f3577b34da6a3ce929d0e0e4736",
  0,
  -1,
  1.5,
  Number.NaN,
  Infinity,
  2 ** 53,
  true,
  [],
  ["turn_id", "agent_id"],
  ["agent_id", "agent_id"],
  [null],
  [{ resource_type: "document" }],
  [{ ...source, title: "words" }],
  [{ ...source, version: "" }],
  {},
  { attribute_unknown: "many" },
  { "Not a code": 1 },
  "turn",
  "turn_start",
  "tool_log",
  "legacy",
];

test("a normal event is taken as it is", () => {
  const { events, errors } = normalizeEvents([whole]);
  expect(errors).toEqual([]);
  expect(events[0]).toBe(whole);
  expect(normalizeEvents([longWay(whole)]).events).toEqual([whole]);
});

test("any value in any place gives what the long way gives", () => {
  const places = Object.keys(whole) as (keyof TurnEvent)[];
  const changes = places.flatMap((place) => hostile.map((value) => ({ ...whole, [place]: value })));
  for (const name of ["emitted", "acknowledged", "contract_name", "task_id", "prompt", "model"]) {
    for (const value of hostile) {
      changes.push({ ...whole, attributes: { ...whole.attributes, [name]: value } });
    }
  }
  for (const place of places) {
    const { [place]: _, ...rest } = whole;
    changes.push(rest as TurnEvent);
  }
  changes.push({ ...whole, prompt: "words" } as TurnEvent);
  for (const change of changes) {
    const short = normalizeEvents([whole, { ...change, event_id: `${change.event_id}:2` }]);
    const long = normalizeEvents([
      longWay(whole),
      longWay({ ...change, event_id: `${change.event_id}:2` }),
    ]);
    expect(short).toEqual(long);
    const own = normalizeEvents([change]);
    expect(own).toEqual(normalizeEvents([longWay(change)]));
  }
});

test("what hides from the keys is not taken as it is", () => {
  const inherited = Object.assign(Object.create({ prompt: "words" }), whole);
  const named = JSON.parse(JSON.stringify(whole).replace("{", '{"__proto__":{"prompt":"words"},'));
  for (const value of [inherited, named]) {
    const [event] = normalizeEvents([value]).events;
    expect(event).not.toBe(value);
    expect(event).toEqual(whole);
  }
});
