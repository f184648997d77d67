/** The calls of agents by agents, found in the spans of a root. */
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { resolveRoot } from "../normalize/resolve.ts";
import { agentCalls } from "./agent-calls.ts";
import { foldedTurns } from "./turns.ts";

interface Reported extends Partial<TurnEvent> {
  readonly in?: string;
}

function span(span_id: string, kind: TurnEvent["event_kind"], { in: above, ...more }: Reported) {
  return {
    schema_version: 3,
    event_id: `${span_id}:result`,
    event_kind: kind,
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    duration_ms: 5,
    root_trace_id: "r1",
    thread_id: "t1",
    application_id: "app",
    user_id: "u1",
    span_id,
    ...(above === undefined ? {} : { parent_span_id: above }),
    attributes: {},
    ...more,
  } satisfies TurnEvent as TurnEvent;
}

const turn = (id: string, agent: string, more: Reported = {}): TurnEvent =>
  span(id, "turn", { agent_id: agent, ...more });

/** Calls as `caller > called: outcome`, and the application of one elsewhere. */
function callsOf(events: readonly TurnEvent[]): string[] {
  const resolved = resolveRoot(events);
  const turns = foldedTurns(resolved);
  const calls = agentCalls(turns, resolved);
  return turns
    .flatMap((one) =>
      calls(one).map(
        ({ name, outcome, provider }) =>
          `${one.row.agent_id} > ${name}: ${outcome}${provider === null ? "" : ` at ${provider}`}`,
      ),
    )
    .toSorted();
}

test("the caller is the turn of the nearest turn span above, through tools and structure", () => {
  const events = [
    turn("a", "lead"),
    span("tool", "tool_call", { in: "a", attributes: { tool_name: "ask" } }),
    span("http", "span", { in: "tool" }),
    turn("b", "scout", { in: "http", status: "error" }),
    turn("c", "writer", { in: "b", application_id: "press" }),
    turn("d", "scout", { in: "a" }),
  ];
  const calls = [
    "lead > scout: error",
    "lead > scout: success",
    "scout > writer: success at press",
  ];
  expect(callsOf(events)).toEqual(calls);
  expect(callsOf(events.toReversed())).toEqual(calls);
});

test("parts of one turn are no calls; a tool that calls its own agent is one", () => {
  expect(callsOf([turn("a", "lead"), turn("part", "lead", { in: "a" })])).toEqual([]);
  const again = [
    turn("a", "lead"),
    span("tool", "tool_call", { in: "a" }),
    turn("b", "lead", { in: "tool" }),
  ];
  expect(callsOf(again)).toEqual(["lead > lead: success"]);
});

test("an agent that takes over inside of one workflow is called by the first", () => {
  const events = [
    span("trace", "turn", { dialect: "openinference" }),
    turn("a", "triage", { in: "trace", started_at: "2026-03-01T09:59:58Z" }),
    span("handoff", "tool_call", { in: "a" }),
    turn("b", "helper", { in: "trace", started_at: "2026-03-01T09:59:59Z" }),
  ];
  expect(callsOf(events)).toEqual(["triage > helper: success"]);
});

test("nothing is recorded of another tenant, of a turn that never ended, or without a link", () => {
  expect(callsOf([turn("a", "lead"), turn("b", "scout", { in: "a", user_id: "u2" })])).toEqual([]);
  expect(callsOf([turn("a", "lead"), turn("b", "scout", { in: "a", user_id: null })])).toEqual([]);
  const open = turn("b", "scout", { in: "a", phase: "start", event_id: "b:start" });
  expect(callsOf([turn("a", "lead"), open])).toEqual([]);
  expect(callsOf([turn("a", "lead"), turn("b", "scout", { in: "gone" })])).toEqual([]);
  const circle = [turn("a", "lead", { in: "b" }), turn("b", "scout", { in: "a" })];
  expect(callsOf(circle)).toEqual(["lead > scout: success", "scout > lead: success"]);
});
