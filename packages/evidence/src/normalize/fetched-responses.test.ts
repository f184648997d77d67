/** A response that is fetched several times counts its tokens once. */
import fc from "fast-check";
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { countUsage } from "./usage.ts";

let made = 0;
const call = (operation: string, request_id: string | undefined, tokens?: number): TurnEvent => ({
  schema_version: 3,
  event_id: `e${made}`,
  event_kind: "model_call",
  phase: "result",
  status: "success",
  timestamp: `2026-03-01T10:00:${String(made++ % 60).padStart(2, "0")}Z`,
  root_trace_id: "r1",
  span_id: `s${made}`,
  attributes: {
    genai_operation: operation,
    ...(request_id === undefined ? {} : { request_id }),
    ...(tokens === undefined ? {} : { input_tokens: tokens, output_tokens: 1 }),
  },
});

test("polls of one response are one call; the last that says tokens speaks", () => {
  const polls = [call("fetch_response", "resp_1"), call("fetch_response", "resp_1", 40)];
  const events = [call("chat", "resp_1"), ...polls, call("fetch_response", "resp_1", 42)];
  expect(countUsage(events)).toMatchObject({ input_tokens: 42, usage_state: "known" });
  expect(countUsage(events.toReversed())).toEqual(countUsage(events));
});

test("a call that said its own tokens is not counted again by its fetches", () => {
  const events = [call("chat", "resp_1", 42), call("fetch_response", "resp_1", 42)];
  expect(countUsage(events)).toMatchObject({ input_tokens: 42, usage_state: "known" });
});

test("a response that nobody measured stays one call without tokens", () => {
  const events = [call("chat", "resp_1"), call("fetch_response", "resp_1"), call("chat", "b", 5)];
  expect(countUsage(events)).toMatchObject({ input_tokens: 5, usage_state: "partial" });
});

test("other responses, fetches without an id, and calls that share an id stay their own", () => {
  const events = [
    call("fetch_response", "resp_1", 1),
    call("fetch_response", "resp_2", 2),
    call("fetch_response", undefined, 4),
    call("fetch_response", undefined, 8),
    call("chat", "same", 16),
    call("chat", "same", 32),
  ];
  expect(countUsage(events)).toMatchObject({ input_tokens: 63, usage_state: "known" });
});

test("fetching again, and the order of events, never changes the sum", () => {
  const stated = fc.record({
    operation: fc.constantFrom("chat", "fetch_response"),
    id: fc.constantFrom("a", "b", undefined),
    tokens: fc.option(fc.integer({ min: 0, max: 99 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(stated, { maxLength: 8 }), (list) => {
      made = 0;
      const events = list.map(({ operation, id, tokens }) => call(operation, id, tokens));
      const fetches = events.filter(
        ({ attributes }) =>
          attributes.genai_operation === "fetch_response" && attributes.request_id !== undefined,
      );
      const again = fetches.map((event) => ({ ...event, span_id: `${event.span_id}x` }));
      const usage = countUsage(events);
      expect(countUsage([...again, ...events])).toEqual(usage);
      expect(countUsage(events.toReversed())).toEqual(usage);
    }),
  );
});
