/** One tool call counts once, however many spans describe it. */
import { expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { countTools, toolOutcome, toolResults } from "../turns/tool-outcomes.ts";

function span(
  span_id: string,
  parent: string | undefined,
  tool_name: string | undefined,
  more: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${span_id}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:00Z",
    root_trace_id: "r1",
    span_id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    attributes: tool_name === undefined ? {} : { tool_name },
    ...more,
  };
}

const ids = (events: readonly TurnEvent[]): readonly string[] =>
  toolResults(events).map((event) => event.span_id ?? "");

const http = { event_kind: "span" } as const;

test("a framework's span, an MCP client's and an MCP server's are one call", () => {
  const events = [
    span("tool", "turn", "weather_lookup"),
    span("client", "tool", "lookup"),
    span("wire", "client", undefined, http),
    span("server", "wire", "lookup"),
  ];
  expect(ids(events)).toEqual(["tool"]);
  expect(ids(events.toReversed())).toEqual(["tool"]);
  expect(countTools(events)).toMatchObject({ results: 1, clean: 1 });
});

test("another tool inside of a tool, and the same tool behind a model call, are calls of their own", () => {
  expect(ids([span("a", undefined, "plan"), span("b", "a", "search")])).toEqual(["a", "b"]);
  expect(ids([span("a", undefined, "research"), span("b", "a", "search")])).toEqual(["a", "b"]);
  const again = [
    span("a", undefined, "search"),
    span("m", "a", undefined, { event_kind: "model_call" }),
    span("b", "m", "search"),
  ];
  expect(ids(again)).toEqual(["a", "b"]);
  expect(ids([span("a", "turn", "search"), span("b", "turn", "search")])).toEqual(["a", "b"]);
});

test("one call id is one call, whatever the names are", () => {
  const one = { attributes: { tool_name: "x", tool_call_id: "call_1" } };
  const two = { attributes: { tool_name: "y", tool_call_id: "call_1" } };
  expect(ids([span("a", undefined, "", one), span("b", "a", "", two)])).toEqual(["a"]);
});

test("a failure that only the retelling knows is the call's; a retry that went well hides it", () => {
  const failed = { status: "error" } as const;
  const call = [span("a", undefined, "x"), span("b", "a", "x", failed)];
  expect(countTools(call)).toMatchObject({ results: 1, error: 1, clean: 0 });
  for (const events of [
    [...call, span("c", "a", "x")],
    [span("c", "a", "x"), ...call],
  ]) {
    expect(countTools(events)).toMatchObject({ results: 1, clean: 1, error: 0 });
  }
  const empty = span("a", undefined, "x", { attributes: { tool_name: "x", result_count: 0 } });
  const [kept] = toolResults([empty, span("b", "a", "x", failed)]);
  expect(kept && toolOutcome(kept)).toBe("empty");
});

test("a call that another vocabulary tells beside it is one call, and no two calls become one", () => {
  const at = (span_id: string, dialect: "gen_ai" | "openllmetry", from: number, to: number) =>
    span(span_id, "turn", "lookup", {
      dialect,
      turn_id: "turn",
      started_at: `2026-03-01T10:00:${from}Z`,
      timestamp: `2026-03-01T10:00:${to}Z`,
    });
  const reported = [
    at("tool", "gen_ai", 10, 20),
    at("client", "openllmetry", 11, 19),
    span("server", "client", "lookup"),
  ];
  expect(ids(reported)).toEqual(["tool"]);
  expect(ids(reported.toReversed())).toEqual(["tool"]);
  // A second call in the same vocabulary is another call, and so is one at another time.
  expect(ids([...reported, at("again", "openllmetry", 12, 18)])).toEqual(["tool", "again"]);
  expect(ids([...reported, at("later", "openllmetry", 19, 21)])).toEqual(["tool", "later"]);
  expect(ids([at("a", "gen_ai", 10, 20), at("b", "gen_ai", 11, 19)])).toEqual(["a", "b"]);
  const two = [at("x", "gen_ai", 10, 30), at("y", "gen_ai", 11, 31)];
  const both = [at("p", "openllmetry", 12, 28), at("q", "openllmetry", 13, 29)];
  expect(ids([...two, ...both])).toEqual(["x", "y"]);
});

test("a telling that seems to end two milliseconds after its call is a telling, beyond that a call", () => {
  const at = (span_id: string, dialect: "gen_ai" | "openllmetry", from: string, to: string) =>
    span(span_id, "turn", "lookup", {
      dialect,
      turn_id: "turn",
      started_at: `2026-03-01T10:00:00.${from}Z`,
      timestamp: `2026-03-01T10:00:00.${to}Z`,
    });
  const call = at("tool", "gen_ai", "010", "013344843");
  expect(ids([call, at("client", "openllmetry", "011", "015344843")])).toEqual(["tool"]);
  expect(ids([call, at("next", "openllmetry", "011", "015344844")])).toEqual(["tool", "next"]);
  expect(ids([call, at("next", "openllmetry", "014", "014100000")])).toEqual(["tool", "next"]);
});

test("rings end, and 20,000 tellings of one call cost no more than 20,000", () => {
  expect(ids([span("a", "b", "x"), span("b", "a", "x")]).length).toBeGreaterThan(0);
  const chain = Array.from({ length: 20_000 }, (_, i) =>
    span(`s${i}`, i === 0 ? undefined : `s${i - 1}`, "x"),
  );
  expect(ids(chain)).toEqual(["s0"]);
  expect(ids(chain.toReversed())).toEqual(["s0"]);
});
