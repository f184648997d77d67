/** @module Tests of the values of events: the same as those of each column alone. */
import { expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { eventColumns } from "./event-columns.ts";
import { eventValues } from "./event-values.ts";

const whole: TurnEvent = {
  schema_version: 3,
  event_id: "a:result",
  event_kind: "model_call",
  phase: "result",
  status: "success",
  timestamp: "2026-05-04T10:00:00.123456789Z",
  started_at: "2026-05-04T10:00:00Z",
  received_at: "2026-05-04T10:00:01.000001Z",
  duration_ms: 123.5,
  span_id: "a",
  root_trace_id: "r",
  user_id: "u",
  ingest_trusted: false,
  producer_seq: 4,
  input_refs: [{ resource_type: "memory", ref: "m" }],
  dropped: { content_refused: 2 },
  attributes: { model: "m-1", input_tokens: 5, error_type: "timeout", cached_tokens: 0 },
};
const { started_at: _start, user_id: _user, ...bare } = whole;
const events: readonly TurnEvent[] = [
  whole,
  { ...bare, attributes: {} },
  { ...whole, user_id: null, operation: undefined } as unknown as TurnEvent,
  { ...bare, revision: 1, contested: true, attributes: { tool_name: "t" } },
];

test("all columns at once have the values that each has by itself", () => {
  const each = eventColumns.map(({ value }) => events.map(value));
  expect(eventValues(events)).toEqual(each);
  expect(eventValues([])).toEqual(eventColumns.map(() => []));
  const named = Object.fromEntries(eventColumns.map(({ name }, at) => [name, each[at]]));
  expect(named).toMatchObject({
    timestamp: events.map(() => 1_777_888_800_123_456),
    started_at: [1_777_888_800_000_000, null, 1_777_888_800_000_000, null],
    scope: ["user", null, "anonymous", null],
    user_id: ["u", null, null, null],
    ingest_trusted: [false, false, false, false],
    input_tokens: [5, null, 5, null],
    attributes_json: [
      '{"model":"m-1","input_tokens":5,"error_type":"timeout","cached_tokens":0}',
      "{}",
      '{"model":"m-1","input_tokens":5,"error_type":"timeout","cached_tokens":0}',
      '{"tool_name":"t"}',
    ],
    dropped_json: events.map(() => '{"content_refused":2}'),
  });
});
