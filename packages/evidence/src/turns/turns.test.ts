/** Turn rows: counts, unknown values, and independence of order. */
import { registryRows } from "@turnproof/semconv";

import fc from "fast-check";
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { resolveEvents } from "../normalize/resolve.ts";
import { foldTurns } from "./turns.ts";
import { turnRowAttributes } from "./turn-row.ts";

let clock = 0;
function event(
  id: string,
  kind: TurnEvent["event_kind"],
  more: Partial<TurnEvent> = {},
): TurnEvent {
  clock += 1;
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: kind,
    phase: "result",
    status: "success",
    timestamp: `2026-03-01T10:00:${String(clock % 60).padStart(2, "0")}.5Z`,
    root_trace_id: "r1",
    span_id: id,
    dialect: "gen_ai",
    attributes: {},
    ...more,
  };
}

function agentTrace(): TurnEvent[] {
  clock = 0;
  return resolveEvents([
    event("http", "span", { status: "error", started_at: "2026-03-01T09:00:00Z" }),
    event("t", "turn", {
      parent_span_id: "http",
      agent_id: "helper",
      thread_id: "th",
      user_id: "u1",
      started_at: "2026-03-01T10:00:00.25Z",
      duration_ms: 9_750,
      attributes: { input_tokens: 42, output_tokens: 14 },
    }),
    event("c1", "model_call", {
      parent_span_id: "t",
      attributes: { model: "m", input_tokens: 21, output_tokens: 7, cached_tokens: 3 },
    }),
    event("c2", "model_call", {
      parent_span_id: "t",
      attributes: { model: "m", input_tokens: 21, output_tokens: 7 },
    }),
    event("tool", "tool_call", {
      parent_span_id: "t",
      attributes: { tool_name: "search", tool_outcome: "fallback" },
    }),
    event("m", "tool_call", {
      parent_span_id: "t",
      event_id: "lost:start",
      phase: "start",
      status: "started",
      attributes: { tool_name: "search" },
    }),
    event("s", "memory_supply", {
      parent_span_id: "t",
      phase: "event",
      attributes: { retrieved_count: 5, supplied_count: 3 },
    }),
    event("cd", "cache_decision", {
      parent_span_id: "t",
      phase: "event",
      attributes: { cache_decision: "miss" },
    }),
  ]);
}

test("levels of usage are never added, and what nobody said is null", () => {
  const rows = foldTurns(agentTrace());
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    turn_id: "t",
    run_id: "t",
    user_id: "u1",
    tenant_state: "user",
    duration_ms: 9_750,
    timing_state: "measured",
    status: "success",
    has_error: false,
    started_at: "2026-03-01T10:00:00.25Z",
    input_tokens: 42,
    output_tokens: 14,
    cached_tokens: 3,
    usage_state: "known",
    memory_retrieved: 5,
    memory_supplied: 3,
    memory_referenced: null,
    cache_decision: "miss",
    missing_completion: 1,
    tools: { results: 1, clean: 0, fallback: 1 },
    event_count: 8,
    verdict: null,
  });
});

test("a wrapper around a model call is not counted beside it; a tool's own model call is", () => {
  const trace = resolveEvents([
    event("t", "turn", { agent_id: "a", thread_id: "th", user_id: null }),
    event("outer", "model_call", { parent_span_id: "t", attributes: { input_tokens: 10 } }),
    event("step", "span", { parent_span_id: "outer" }),
    event("inner", "model_call", { parent_span_id: "step", attributes: { input_tokens: 10 } }),
    event("tool", "tool_call", { parent_span_id: "inner" }),
    event("nested", "model_call", { parent_span_id: "tool", attributes: { input_tokens: 4 } }),
  ]);
  expect(foldTurns(trace)[0]).toMatchObject({
    input_tokens: 14,
    output_tokens: null,
    tenant_state: "anonymous",
  });
});

test("the turn's own usage counts only where no model call has any", () => {
  const own = { input_tokens: 9, output_tokens: 2 };
  const trace = resolveEvents([
    event("t", "turn", { agent_id: "a", attributes: own }),
    event("c", "model_call", { parent_span_id: "t" }),
  ]);
  expect(foldTurns(trace)[0]).toMatchObject({ ...own, total_tokens: 11 });
});

test("a turn that never ended is started, and structure alone is no turn", () => {
  const begun = event("t", "turn", { event_id: "t:start", phase: "start", status: "started" });
  expect(foldTurns(resolveEvents([begun]))[0]).toMatchObject({
    status: "started",
    timing_state: "missing_completion",
    missing_completion: 1,
    tenant_state: "unattributed",
  });
  expect(foldTurns([event("x", "span"), event("q", "data_quality")])).toEqual([]);
});

test("tenants under one root, turn and thread stand in rows of their own", () => {
  const rows = foldTurns([
    event("a", "model_call", { turn_id: "t", user_id: "u1" }),
    event("b", "model_call", { turn_id: "t", user_id: "u2" }),
  ]);
  expect(rows.map((row) => [row.user_id, row.event_count])).toEqual([
    ["u2", 1],
    ["u1", 1],
  ]);
});

test("rows do not depend on the order of the events", () => {
  const trace = agentTrace();
  const rows = JSON.stringify(foldTurns(trace));
  fc.assert(
    fc.property(fc.shuffledSubarray(trace, { minLength: trace.length }), (mixed) => {
      expect(JSON.stringify(foldTurns(mixed))).toBe(rows);
    }),
    { numRuns: 50 },
  );
});

test("a turn that ends before it starts took an unknown time, not a negative one", () => {
  const backwards = event("t", "turn", {
    started_at: "2026-03-01T10:00:05Z",
    timestamp: "2026-03-01T10:00:04.3Z",
  });
  expect(foldTurns(resolveEvents([backwards]))[0]).toMatchObject({
    duration_ms: null,
    timing_state: "unknown",
  });
});

test("a turn of one instant that says no duration took an unknown time, not none", () => {
  const { started_at: _start, duration_ms: _none, ...instant } = event("t", "turn", {});
  const begun: TurnEvent = { ...instant, phase: "start", status: "started" };
  expect(foldTurns(resolveEvents([instant]))[0]).toMatchObject({
    duration_ms: null,
    timing_state: "unknown",
  });
  expect(foldTurns(resolveEvents([begun]))[0]).toMatchObject({
    duration_ms: null,
    timing_state: "missing_completion",
  });
});

test("services, releases and producers of a turn are those that its events name, each once", () => {
  const own = (id: string, service: string | undefined, version: string | undefined): TurnEvent =>
    event(id, "tool_call", {
      ...(service === undefined ? {} : { application_id: service, producer_id: `${service}-7` }),
      attributes: version === undefined ? {} : { service_version: version },
    });
  const [row] = foldTurns([
    own("a", "mailer", "2.0.0"),
    own("b", "desk", "1.4.0"),
    own("c", "desk", "2.0.0"),
    own("d", undefined, undefined),
  ]);
  expect(row).toMatchObject({
    services: ["desk", "mailer"],
    releases: ["1.4.0", "2.0.0"],
    producers: ["desk-7", "mailer-7"],
  });
  const [unnamed] = foldTurns([own("e", undefined, undefined)]);
  expect(unnamed).toMatchObject({ services: [], releases: [], producers: [] });
});

test("a row is folded from the attributes that are listed, and from no reference and no link", () => {
  const valueOf = ({
    column,
    values = ["a"],
  }: (typeof registryRows)[number]): fc.Arbitrary<unknown> => {
    if (column.startsWith("Array")) {
      return fc.constantFrom([], column.includes("String") ? ["a"] : [1]);
    }
    if (column.includes("Bool")) return fc.boolean();
    return column.includes("String") ? fc.constantFrom("b", ...values) : fc.nat(2);
  };
  const attributes = fc.record(
    Object.fromEntries(
      registryRows
        .filter(({ slot }) => slot === "attributes")
        .map((row) => [row.event, valueOf(row)]),
    ),
    { requiredKeys: [] },
  );
  const kinds: readonly TurnEvent["event_kind"][] = [
    "turn",
    "model_call",
    "tool_call",
    "memory_supply",
    "memory_retrieval",
    "memory_reference",
    "cache_decision",
    "span",
  ];
  const events = fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      phase: fc.constantFrom("start", "result", "event"),
      span: fc.constantFrom("a", "b", undefined),
      attributes,
    }),
    { minLength: 1, maxLength: 6 },
  );
  const ref = { resource_type: "note", ref: "note-1" };
  const stated = {
    input_refs: [ref],
    output_refs: [ref],
    links: [{ trace_id: "t", span_id: "s" }],
  };
  const listed = new Set<string>(turnRowAttributes);
  fc.assert(
    fc.property(events, (drawn) => {
      clock = 0;
      const whole = drawn.map(({ kind, phase, span, attributes: held }, at) => {
        const own = event(String(at), kind, { ...stated, phase, attributes: held });
        return { ...own, span_id: span as never };
      });
      const bare = whole.map((one): TurnEvent => {
        const { input_refs: _in, output_refs: _out, links: _links, ...rest } = one;
        const held = Object.entries(rest.attributes).filter(([name]) => listed.has(name));
        return { ...rest, attributes: Object.fromEntries(held) };
      });
      expect(foldTurns(bare)).toEqual(foldTurns(whole));
    }),
    { numRuns: 400 },
  );
});

test("refusals are summed by code, whatever a code is called", () => {
  const dropped = { constructor: 1, key_not_allowed: 2 };
  const rows = foldTurns([event("a", "turn", { dropped }), event("b", "model_call", { dropped })]);
  expect(rows[0]?.dropped).toEqual({ constructor: 2, key_not_allowed: 4 });
});
