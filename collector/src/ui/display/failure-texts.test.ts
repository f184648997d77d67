/**
 * @module Where the errors of a turn began: the innermost, once each, however far they propagated.
 */
import { buildCausalWaterfall } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { failuresOf, failureText } from "./failure-texts.ts";

type Kind = TurnEvent["event_kind"];

/** A span that ended in error; `under` is the span above it. */
function span(id: number, event_kind: Kind, more: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `s${id}:result`,
    event_kind,
    operation: event_kind,
    phase: "result",
    status: "error",
    timestamp: `2026-11-21T10:00:0${id}.000Z`,
    root_trace_id: "root",
    turn_id: "turn",
    agent_id: "desk",
    thread_id: "thread",
    span_id: `s${id}`,
    duration_ms: 10,
    attributes: {},
    ...more,
  };
}

function reported(...events: readonly TurnEvent[]): string[] {
  return failuresOf(buildCausalWaterfall(events), events).map(
    (failure) => `${failure.what} ${failureText(failure)}`,
  );
}

const turn = span(0, "turn", { operation: "invoke_agent Desk" });
const call = span(1, "model_call", {
  parent_span_id: "s0",
  operation: "chat small",
  attributes: { model: "small", error_type: "429" },
});

test("an error that was handed on is told where it began, and how far it went", () => {
  expect(reported(turn, call)).toEqual([
    "Model call small ended in error: 429; the turn Desk failed because of it",
  ]);
});

test("a failed request explains a call, and is told only where nothing else failed", () => {
  const request = span(2, "span", {
    parent_span_id: "s1",
    operation: "http.client",
    attributes: { error_type: "503" },
  });
  const server = span(3, "span", { operation: "http.server" });
  expect(reported(server, { ...turn, parent_span_id: "s3" }, call, request)).toEqual([
    "Model call small ended in error: 429; the turn Desk failed because of it",
  ]);
  const fine = { ...turn, status: "success" } as const;
  expect(reported(fine, { ...request, parent_span_id: "s0" })).toEqual([
    "Structure http.client ended in error: 503",
  ]);
});

test("siblings fail each for itself, and what no class was recorded of says so", () => {
  const tool = (id: number): TurnEvent =>
    span(id, "tool_call", { parent_span_id: "s0", attributes: { tool_name: `tool_${id}` } });
  expect(reported({ ...turn, status: "success" }, tool(2), tool(3))).toEqual([
    "Tool call tool_2 ended in error; no class was recorded",
    "Tool call tool_3 ended in error; no class was recorded",
  ]);
  expect(reported(turn)).toEqual(["Turn Desk ended in error; no class was recorded"]);
});

test("what the judge speaks of is left to the judge, and a success is no failure", () => {
  expect(reported(span(1, "delivery"), span(2, "contract"))).toEqual([]);
  expect(reported({ ...turn, status: "success" }, { ...call, status: "success" })).toEqual([]);
});
