/** Insights at their thresholds and just below, written from the design alone. */
import { findInsights } from "@turnproof/evidence";
import type { Insights } from "@turnproof/evidence";
import { describe, expect, test } from "vitest";

import { at } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

describe("insights", () => {
  const over = (events: readonly Json[]): Insights => findInsights(events, { scope: "window" });
  const priorities = (events: readonly Json[], code: string): readonly number[] =>
    over(events).insights.flatMap((one) => (one.code === code ? [one.priority] : []));
  const tools = (n: number, attributes: Json, extra: Json = {}): Json[] =>
    Array.from({ length: n }, (_, i) =>
      at(
        i,
        "tool_call",
        {
          tool_name: "rank",
          tool_call_id: `${String(attributes["tool_outcome"])}-${i}`,
          ...attributes,
        },
        {
          event_id: `${String(attributes["tool_outcome"])}-${i}`,
          phase: "result",
          duration_ms: 5,
          ...extra,
        },
      ),
    );
  const good = (n: number): Json[] => tools(n, { tool_outcome: "success" });
  const failures = (n: number): Json[] => tools(n, { tool_outcome: "error" }, { status: "error" });
  const binding = (attributes: Json): Json => at(1, "context_binding", attributes);
  const rated = (n: number, attributes: Json, kind = "feedback"): Json[] =>
    Array.from({ length: n }, (_, i) => at(i, kind, attributes, { event_id: `${kind}-${i}` }));
  const supplies = (n: number, each: number, referenced = 0): Json[] =>
    Array.from({ length: n }, (_, i) =>
      at(
        i,
        "memory_supply",
        { supplied_count: each, referenced_count: referenced },
        { event_id: `supply-${i}` },
      ),
    );

  test.each<[string, string, readonly Json[], readonly number[]]>([
    ["mismatch", "page_thread_mismatch", [binding({ thread_binding_status: "mismatch" })], [0]],
    ["rejected", "page_thread_mismatch", [binding({ thread_binding_status: "rejected" })], [0]],
    ["matched", "page_thread_mismatch", [binding({ thread_binding_status: "matched" })], []],
    ["bound", "page_thread_mismatch", [binding({ thread_binding_status: "bound" })], []],
    ["failed ownership", "ownership_unverified", [binding({ ownership_verified: false })], [0]],
    ["good ownership", "ownership_unverified", [binding({ ownership_verified: true })], []],
    [
      "grounding pending",
      "page_grounding_missing",
      [binding({ client_page_id: "p", canonical_page_id: "p", grounding_status: "pending" })],
      [0],
    ],
    [
      "grounding ready",
      "page_grounding_missing",
      [binding({ client_page_id: "p", canonical_page_id: "p", grounding_status: "ready" })],
      [],
    ],
    [
      "unscoped thread",
      "content_on_unscoped_thread",
      [binding({ thread_binding_status: "client_owned_unscoped" })],
      [1],
    ],
    ["one failure of five", "tool_failures", [...good(4), ...failures(1)], []],
    ["one failure of four", "tool_failures", [...good(3), ...failures(1)], [1]],
    ["two failures of ten", "tool_failures", [...good(8), ...failures(2)], [1]],
    ["two failures of four", "tool_failures", [...good(2), ...failures(2)], [0]],
    ["one failure of one", "tool_failures", failures(1), [1]],
    ["a fallback", "repeated_fallback", tools(1, { tool_outcome: "fallback" }), []],
    ["two fallbacks", "repeated_fallback", tools(2, { tool_outcome: "fallback" }), [1]],
    ["a degraded result", "repeated_degraded", tools(1, { tool_outcome: "degraded" }), []],
    ["two degraded results", "repeated_degraded", tools(2, { tool_outcome: "degraded" }), [1]],
    ["two supplies of four", "supply_unreferenced", supplies(2, 4), [2]],
    [
      "two supplies of seven items",
      "supply_unreferenced",
      [...supplies(1, 4), ...supplies(2, 3).slice(1)],
      [],
    ],
    ["one supply of eight", "supply_unreferenced", supplies(1, 8), []],
    ["two supplies with a reference", "supply_unreferenced", supplies(2, 4, 1), []],
    ["one negative rating", "negative_feedback", rated(1, { rating: -1, verified: true }), [1]],
    ["two negative ratings", "negative_feedback", rated(2, { rating: -1, verified: true }), [0]],
    ["a negative rating that nobody verified", "negative_feedback", rated(2, { rating: -1 }), []],
    [
      "a failure",
      "verified_failure",
      rated(1, { outcome: "failure", verified: true }, "outcome"),
      [1],
    ],
    [
      "two failures",
      "verified_failure",
      rated(2, { outcome: "failure", verified: true }, "outcome"),
      [0],
    ],
    [
      "a success",
      "verified_failure",
      rated(2, { outcome: "success", verified: true }, "outcome"),
      [],
    ],
    [
      "four of five with a duration",
      "tool_latency_missing",
      [...good(4), ...tools(1, { tool_outcome: "empty" }, { duration_ms: undefined })],
      [],
    ],
    [
      "three of four with a duration",
      "tool_latency_missing",
      [...good(3), ...tools(1, { tool_outcome: "empty" }, { duration_ms: undefined })],
      [1],
    ],
    [
      "a call without usage",
      "model_usage_missing",
      [at(1, "model_call", { model: "m" }, { phase: "result" })],
      [2],
    ],
    [
      "a call with usage",
      "model_usage_missing",
      [at(1, "model_call", { model: "m", input_tokens: 1, output_tokens: 1 }, { phase: "result" })],
      [],
    ],
    [
      "a model turn without supply",
      "memory_supply_missing",
      [at(1, "model_call", { model: "m" }, { phase: "result" })],
      [1],
    ],
    [
      "a turn from the cache",
      "memory_supply_missing",
      [at(1, "cache_decision", { cache_decision: "hit" }), at(2, "turn", {}, { phase: "result" })],
      [],
    ],
    [
      "a degraded supply",
      "memory_supply_degraded",
      [at(1, "memory_supply", { supplied_count: 1, memory_degraded: true })],
      [1],
    ],
  ])("%s: %s", (_what, code, events, expected) => {
    expect(priorities(events, code)).toEqual(expected);
  });

  test("a sequence of two tools in two threads recurs, in one thread it does not", () => {
    const pair = (thread: string, turn: string): Json[] =>
      ["search", "rank"].map((tool_name, i) =>
        at(
          i,
          "tool_call",
          { tool_name },
          {
            event_id: `${tool_name}-${turn}`,
            phase: "result",
            thread_id: thread,
            turn_id: turn,
          },
        ),
      );
    expect(priorities([...pair("a", "1"), ...pair("b", "2")], "recurring_workflow")).toEqual([2]);
    expect(priorities([...pair("a", "1"), ...pair("a", "2")], "recurring_workflow")).toEqual([]);
  });

  test("never cut silently", () => {
    const events = Array.from({ length: 60 }, (_, i) =>
      at(
        1,
        "context_binding",
        { thread_binding_status: "mismatch" },
        { event_id: `b-${i}`, turn_id: `t-${i}` },
      ),
    );
    const { total, insights } = findInsights(events, { scope: "turn" });
    expect(insights.filter(({ code }) => code === "page_thread_mismatch")).toHaveLength(60);
    expect(total).toBe(insights.length);
  });
});
