/** Which turn spans are one turn, its agent, and its content (issue: whose turn is it). */
import fc from "fast-check";
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { resolveRoot } from "./resolve.ts";
import { foldTurns } from "../turns/turns.ts";

function span(
  span_id: string,
  parent: string | undefined,
  more: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${span_id}:result`,
    event_kind: "span",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00.000000001Z",
    root_trace_id: "r1",
    span_id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    dialect: "gen_ai",
    attributes: {},
    ...more,
  };
}

const turnOf = (event: TurnEvent | undefined): readonly unknown[] => [
  event?.agent_id,
  event?.turn_id,
];
const weak = (agent_id: string): Partial<TurnEvent> => ({
  agent_id,
  identity_derived: ["agent_id"],
});

const byId = (events: readonly TurnEvent[]): Record<string, TurnEvent> =>
  Object.fromEntries(events.map((event) => [event.event_id, event]));

test("a name on a span that is no turn gives way to the turn's agent; our own id does not", () => {
  const events = byId(
    resolveRoot([
      span("turn", undefined, { event_kind: "turn", agent_id: "helper" }),
      span("tool", "turn", { event_kind: "tool_call", ...weak("lookup") }),
      span("deep", "tool", { event_kind: "model_call" }),
      span("said", "turn", { event_kind: "tool_call", agent_id: "chosen" }),
      span("under", "said", { event_kind: "tool_call", ...weak("lookup") }),
      span("stray", "lost", { event_kind: "tool_call", ...weak("other") }),
    ]),
  );
  for (const id of ["tool", "deep", "stray"]) {
    expect(turnOf(events[`${id}:result`])).toEqual(["helper", "turn"]);
  }
  for (const id of ["said", "under"]) {
    expect(turnOf(events[`${id}:result`])).toEqual(["chosen", "turn"]);
  }
});

test("without a turn a name is all that is known, and where several turns are, no other is taken", () => {
  const alone = byId(
    resolveRoot([
      span("chat", undefined, {
        event_kind: "model_call",
        application_id: "shop",
        ...weak("helper"),
      }),
      span("tool", "chat", { event_kind: "tool_call", application_id: "shop" }),
    ]),
  );
  expect(alone["chat:result"]?.agent_id).toBe("helper");
  expect(alone["tool:result"]?.agent_id).toBe("helper");
  const several = byId(
    resolveRoot([
      span("one", undefined, { event_kind: "turn", agent_id: "a" }),
      span("two", undefined, { event_kind: "turn", agent_id: "b" }),
      span("chat", "lost", { event_kind: "model_call", ...weak("c") }),
    ]),
  );
  expect(several["chat:result"]?.agent_id).toBe("c");
});

test("a nameless trace around an agent's run is that agent's turn", () => {
  const events = byId(
    resolveRoot([
      span("wrap", undefined, { event_kind: "turn", application_id: "shop" }),
      span("step", "wrap"),
      span("run", "step", { event_kind: "turn", agent_id: "helper" }),
      span("chat", "run", { event_kind: "model_call" }),
      span("check", "wrap", { event_kind: "model_call" }),
    ]),
  );
  for (const id of ["wrap", "run", "chat", "check"]) {
    expect(turnOf(events[`${id}:result`])).toEqual(["helper", "wrap"]);
  }
});

test("a workflow is a turn by its own name, and its agent's run another in it", () => {
  const events = byId(
    resolveRoot([
      span("flow", undefined, { event_kind: "turn", ...weak("answer") }),
      span("run", "flow", { event_kind: "turn", agent_id: "helper" }),
      span("chat", "run", { event_kind: "model_call", ...weak("answer") }),
      span("check", "flow", { event_kind: "model_call", ...weak("other") }),
    ]),
  );
  expect(turnOf(events["flow:result"])).toEqual(["answer", "flow"]);
  expect(turnOf(events["check:result"])).toEqual(["answer", "flow"]);
  expect(turnOf(events["run:result"])).toEqual(["helper", "run"]);
  expect(turnOf(events["chat:result"])).toEqual(["helper", "run"]);
  expect(events["run:result"]?.run_id).toBe("flow");
});

test("around several agents a workflow keeps its name, and a nameless wrapper is the first one's", () => {
  const trace = (wrapper: Partial<TurnEvent>): Record<string, TurnEvent> =>
    byId(
      resolveRoot([
        span("wrap", undefined, { event_kind: "turn", ...wrapper }),
        span("late", "wrap", {
          event_kind: "turn",
          agent_id: "writer",
          started_at: "2026-03-01T09:00:02Z",
        }),
        span("soon", "wrap", {
          event_kind: "turn",
          agent_id: "triage",
          started_at: "2026-03-01T09:00:01Z",
        }),
      ]),
    );
  const named = trace(weak("answer"));
  expect(turnOf(named["wrap:result"])).toEqual(["answer", "wrap"]);
  expect(turnOf(named["soon:result"])).toEqual(["triage", "soon"]);
  expect(turnOf(named["late:result"])).toEqual(["writer", "late"]);
  const nameless = trace({});
  expect(turnOf(nameless["wrap:result"])).toEqual(["triage", "wrap"]);
  expect(turnOf(nameless["soon:result"])).toEqual(["triage", "wrap"]);
  expect(turnOf(nameless["late:result"])).toEqual(["writer", "late"]);
});

test("a turn that names no agent is part of the one around it, unless it is somebody else's", () => {
  const inner = (more: Partial<TurnEvent>): TurnEvent | undefined =>
    byId(
      resolveRoot([
        span("turn", undefined, { event_kind: "turn", agent_id: "helper", user_id: "u1" }),
        span("tool", "turn", { event_kind: "tool_call" }),
        span("inner", "tool", { event_kind: "turn", ...more }),
      ]),
    )["inner:result"];
  expect(turnOf(inner({}))).toEqual(["helper", "turn"]);
  expect(inner({})).toMatchObject({ event_kind: "span", status: "unknown" });
  expect(inner({ attributes: { input_tokens: 3 } })?.event_kind).toBe("turn");
  expect(turnOf(inner(weak("flow")))).toEqual(["helper", "turn"]);
  expect(turnOf(inner({ user_id: "u2" }))).toEqual(["helper", "inner"]);
  expect(turnOf(inner({ turn_id: "own" }))).toEqual(["helper", "own"]);
  expect(turnOf(inner({ application_id: "x" }))).toEqual(["helper", "turn"]);
  expect(turnOf(inner({ ingest_principal: "q" }))).toEqual(["helper", "inner"]);
  expect(turnOf(inner({ agent_id: "helper" }))).toEqual(["helper", "inner"]);
});

test("a name that all of a nameless turn's spans carry is its agent's", () => {
  const events = byId(
    resolveRoot([
      span("turn", undefined, { event_kind: "turn", application_id: "shop" }),
      span("chat", "turn", { event_kind: "model_call", ...weak("helper") }),
      span("tool", "turn", { event_kind: "tool_call", ...weak("lookup") }),
    ]),
  );
  for (const id of ["turn", "chat", "tool"]) {
    expect(turnOf(events[`${id}:result`])).toEqual(["helper", "turn"]);
  }
});

const anyTrace = fc.array(
  fc.record({
    parent: fc.option(fc.nat(30), { nil: undefined }),
    kind: fc.constantFrom("turn", "turn", "span", "tool_call", "model_call", "plan"),
    agent: fc.constantFrom(undefined, "a", "b", "c"),
    weak: fc.boolean(),
    application: fc.constantFrom("shop", "shop", "desk"),
  }),
  { minLength: 1, maxLength: 30 },
);

test("no name on a span that is no turn ever opens a second row for a turn", () => {
  fc.assert(
    fc.property(anyTrace, (trace) => {
      const events = trace.map(({ parent, kind, agent, weak: gives, application }, i) =>
        span(`s${i}`, parent === undefined ? undefined : `s${parent}`, {
          event_kind: kind as TurnEvent["event_kind"],
          application_id: application,
          user_id: "u1",
          ...(agent === undefined
            ? {}
            : gives || kind !== "turn"
              ? weak(agent)
              : { agent_id: agent }),
        }),
      );
      const rows = foldTurns(resolveRoot(events));
      const turns = rows.flatMap(({ turn_id }) => turn_id ?? []);
      expect(turns.toSorted()).toEqual([...new Set(turns)].toSorted());
      expect(rows.every(({ agent_id }) => agent_id !== undefined)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
