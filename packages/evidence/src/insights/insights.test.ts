/** Insights: each threshold from both sides, both scopes, no truncation. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { insightCodes } from "./insight-table.ts";
import { findInsights } from "./insights.ts";

let count = 0;

function event(event_kind: TurnEvent["event_kind"], extra: Partial<TurnEvent> = {}): TurnEvent {
  count += 1;
  const second = String(count % 60).padStart(2, "0");
  return {
    schema_version: 3,
    event_id: `event-${count}`,
    event_kind,
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:${String(Math.floor(count / 60)).padStart(2, "0")}:${second}Z`,
    duration_ms: 5,
    agent_id: "agent",
    user_id: "user",
    thread_id: "thread",
    root_trace_id: "root",
    turn_id: "turn",
    ...extra,
    attributes: { ...extra.attributes },
  };
}

function attributes(
  event_kind: TurnEvent["event_kind"],
  values: TurnEvent["attributes"],
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  return event(event_kind, { ...extra, attributes: values });
}

const binding = (values: TurnEvent["attributes"], extra: Partial<TurnEvent> = {}): TurnEvent =>
  attributes("context_binding", values, extra);
const tool = (values: TurnEvent["attributes"] = {}, extra: Partial<TurnEvent> = {}): TurnEvent =>
  attributes("tool_call", { tool_name: "search", ...values }, extra);
const failing = (): TurnEvent => tool({ tool_outcome: "provider_error" });
const usage = { input_tokens: 1, output_tokens: 1 };
const model = (extra: Partial<TurnEvent> = {}): TurnEvent => attributes("model_call", usage, extra);
const answer = (values: TurnEvent["attributes"], extra: Partial<TurnEvent> = {}): TurnEvent =>
  attributes("model_call", { ...usage, ...values }, { dialect: "gen_ai", ...extra });
const failed = (): TurnEvent => event("model_call", { dialect: "gen_ai", status: "error" });
const supply = (values: TurnEvent["attributes"]): TurnEvent => attributes("memory_supply", values);
const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);

/** Code and priority of every insight of the window, sorted. */
function found(events: readonly TurnEvent[], scope: "turn" | "window" = "window"): string[] {
  const { insights, total } = findInsights(events, { scope });
  expect(total).toBe(insights.length);
  return insights.map(({ code, priority }) => `${code} P${priority}`).toSorted();
}

const cases: readonly (readonly [string, readonly TurnEvent[], readonly string[]])[] = [
  ["a bad binding", [binding({ thread_binding_status: "stale" })], ["page_thread_mismatch P0"]],
  ["another thread", [binding({ expected_thread_id: "t2" })], ["page_thread_mismatch P0"]],
  [
    "another page than the client's",
    [binding({ client_page_id: "p1", canonical_page_id: "p2", grounding_status: "ready" })],
    ["page_thread_mismatch P0"],
  ],
  [
    "the page that the client named",
    [binding({ client_page_id: "p1", canonical_page_id: "p1", grounding_status: "ready" })],
    [],
  ],
  ["a good binding", [binding({ thread_binding_status: "bound" })], []],
  ["failed ownership", [binding({ ownership_verified: false })], ["ownership_unverified P0"]],
  [
    "ownership said by somebody who may not say it",
    [binding({ ownership_verified: true }, { ingest_trusted: false })],
    ["ownership_unverified P0"],
  ],
  ["a page without grounding", [binding({ client_page_id: "p" })], ["page_grounding_missing P0"]],
  ["grounding not ready", [binding({ grounding_status: "empty" })], ["page_grounding_missing P0"]],
  ["grounding ready", [binding({ client_page_id: "p", grounding_status: "ready" })], []],
  [
    "an unscoped thread",
    [binding({ thread_binding_status: "client_owned_unscoped" })],
    ["content_on_unscoped_thread P1"],
  ],
  ["a model turn without supply", [model()], ["memory_supply_missing P1"]],
  ["a turn of another library", [model({ dialect: "gen_ai" })], []],
  ["a cached turn", [model(), attributes("cache_decision", { cache_decision: "hit" })], []],
  ["degraded supply", [supply({ memory_degraded: true })], ["memory_supply_degraded P1"]],
  [
    "two supplies of eight items and no reference",
    [supply({ supplied_count: 4, referenced_count: 0 }), supply({ supplied_count: 4 })],
    ["supply_unreferenced P2"],
  ],
  ["one supply", [supply({ supplied_count: 9, referenced_count: 0 })], []],
  ["seven items", times(2, () => supply({ supplied_count: 3.5, referenced_count: 0 })), []],
  ["references that nobody measured", times(2, () => supply({ supplied_count: 9 })), []],
  ["one failure of five", [failing(), ...times(4, tool)], []],
  ["one failure of four", [failing(), ...times(3, tool)], ["tool_failures P1"]],
  ["two failures of five", [...times(2, failing), ...times(3, tool)], ["tool_failures P1"]],
  ["two failures of four", [...times(2, failing), ...times(2, tool)], ["tool_failures P0"]],
  ["one failure of one", [failing()], ["tool_failures P1"]],
  ["one fallback", [tool({ tool_outcome: "fallback" })], []],
  ["two fallbacks", times(2, () => tool({ fallback_used: true })), ["repeated_fallback P1"]],
  ["two degraded", times(2, () => tool({ degraded: true })), ["repeated_degraded P1"]],
  [
    "the same call twice",
    times(2, () => tool({ call_fingerprint: "f" })),
    ["repeated_tool_call P1"],
  ],
  ["the same tool, asked otherwise", [tool({ call_fingerprint: "f" }), tool()], []],
  [
    "latency known for three of four",
    [...times(3, tool), tool({}, { duration_ms: undefined as never })],
    ["tool_latency_missing P1"],
  ],
  ["a model without usage", [event("model_call"), supply({})], ["model_usage_missing P2"]],
  ["a failed model call", [answer({}, { status: "error" }), answer({})], ["model_failures P1"]],
  ["one that has no usage to give", [failed()], ["model_failures P1"]],
  [
    "an answer at its limit",
    [answer({}), answer({ finish_reason: ["length"] })],
    ["answer_cut P1"],
  ],
  ["a step at its limit", [answer({ finish_reason: ["length"] }), answer({})], []],
  ["a filtered answer", [answer({ finish_reason: ["SAFETY"] })], ["answer_withheld P1"]],
  ["an empty answer", [answer({ output_tokens: 0 })], ["answer_empty P1"]],
  [
    "an empty answer that was filtered",
    [answer({ output_tokens: 0, finish_reason: ["content_filter"] })],
    ["answer_withheld P1"],
  ],
  ["an empty step", [answer({ output_tokens: 0 }), answer({})], []],
  [
    "an embedding after the answer",
    [answer({ finish_reason: ["length"] }), answer({ genai_operation: "embeddings" })],
    ["answer_cut P1"],
  ],
  [
    "verified negative feedback",
    [attributes("feedback", { rating: -1, verified: true })],
    ["negative_feedback P1"],
  ],
  [
    "twice",
    times(2, () => attributes("feedback", { rating: -1, verified: true })),
    ["negative_feedback P0"],
  ],
  ["unverified feedback", [attributes("feedback", { rating: -1 })], []],
  [
    "a verified failure",
    [attributes("outcome", { outcome: "failure", verified: true })],
    ["verified_failure P1"],
  ],
  [
    "two verified failures",
    times(2, () => attributes("outcome", { outcome: "failure", verified: true })),
    ["verified_failure P0"],
  ],
  ["an agent's own claim of failure", [attributes("outcome", { outcome: "failure" })], []],
];

describe("thresholds", () => {
  test.each(cases)("%s", (_, events, expected) => {
    expect(found(events)).toEqual(expected);
    expect(found(events, "turn")).toEqual(expected);
  });

  test("missing identity is urgent", () => {
    const { turn_id: _, ...lacking } = tool();
    expect(found([lacking])).toEqual(["identity_missing P0"]);
  });
});

describe("scopes", () => {
  test("turns are judged one by one, a window as a whole", () => {
    const fallback = (turn_id: string): TurnEvent => tool({ fallback_used: true }, { turn_id });
    const events = [fallback("one"), fallback("two")];
    expect(found(events, "turn")).toEqual([]);
    expect(found(events, "window")).toEqual(["repeated_fallback P1"]);
  });

  test("a row of tools in two threads of one tenant is a recurring workflow", () => {
    const row = (thread_id: string, user_id: string): TurnEvent[] => {
      const place = { thread_id, user_id, turn_id: `turn of ${thread_id}` };
      return [tool({ tool_name: "search" }, place), tool({ tool_name: "write" }, place)];
    };
    const recurring = ["recurring_workflow P2"];
    const own = [...row("t1", "u1"), ...row("t2", "u1")];
    expect(found(own)).toEqual(recurring);
    const [insight] = findInsights(own, { scope: "window" }).insights;
    expect(insight?.identity).toMatchObject({ user_id: "u1" });
    expect(insight?.identity).not.toHaveProperty("thread_id");
    expect(found([...row("t1", "u1"), ...row("t2", "u2")])).toEqual([]);
    expect(found(row("t1", "u1"))).toEqual([]);
  });

  describe("the subject of a recurring workflow", () => {
    /** Tool sequences, each run in two threads of one tenant. */
    const subjectsOf = (...rows: readonly (readonly string[])[]): readonly string[] => {
      const events = rows.flatMap((tools, place) =>
        [1, 2].flatMap((each) => {
          const of = { thread_id: `thread-${place}-${each}`, turn_id: `turn-${place}-${each}` };
          return tools.map((tool_name) => tool({ tool_name }, of));
        }),
      );
      const { insights } = findInsights(events, { scope: "window" });
      expect(insights.map(({ code }) => code)).toEqual(rows.map(() => "recurring_workflow"));
      return insights.map(({ subject }) => subject ?? "").toSorted((a, b) => (a < b ? -1 : 1));
    };

    test("is the names of its tools in their order", () => {
      expect(subjectsOf(["search", "write"], ["write", "search", "search"])).toEqual([
        "search → write",
        "write → search → search",
      ]);
    });

    test("never repeats a name that is no label, and still tells two rows apart", () => {
      const [first, second] = subjectsOf(["read", "canary name one"], ["read", "canary name two"]);
      expect(first).toMatch(/^read → \? \(2 tools, [0-9a-f]{8}\)$/);
      expect(second).toMatch(/^read → \? \(2 tools, [0-9a-f]{8}\)$/);
      expect(first).not.toBe(second);
    });

    test("is bounded, says how many tools there are, and differs where its end does", () => {
      const long = times(30, () => "a_tool_with_quite_a_long_name");
      const [first, second] = subjectsOf([...long, "one"], [...long, "two"]);
      for (const subject of [first, second]) {
        expect(subject?.length).toBeLessThanOrEqual(240);
        expect(subject).toMatch(/^(a_tool_with_quite_a_long_name → )+… \(31 tools, [0-9a-f]{8}\)$/);
      }
      expect(first).not.toBe(second);
    });
  });
});

test("never cut silently: all are there, and each says how many events show it", () => {
  const turns = times(100, () => tool({ tool_outcome: "error" }, { turn_id: `turn-${count}` }));
  const { total, insights } = findInsights(turns, { scope: "turn" });
  expect(total).toBe(100);
  expect(insights).toHaveLength(100);
  const [window] = findInsights(turns, { scope: "window" }).insights;
  expect(window?.evidence_count).toBe(100);
  expect(window?.evidence_ids).toHaveLength(32);
  expect(insightCodes).toContain(window?.code);
});
