/** @module Operations side by side: which are at one place, and their sums. */
import { describe, expect, test } from "vitest";

import { compareTraceWindows } from "./compare.ts";
import type { CompareOptions, TraceComparison } from "./compare.ts";
import type { TurnEvent } from "../event/event.ts";

let number = 0;

/** An event of a run; every run is its own trace and turn, in the order of the calls. */
function event(
  run: string,
  kind: TurnEvent["event_kind"],
  extra: Partial<TurnEvent> = {},
): TurnEvent {
  number += 1;
  const { operation = kind, ...more } = extra;
  return {
    schema_version: 3,
    event_id: `${run}-${number}`,
    event_kind: kind,
    operation,
    phase: "result",
    status: "success",
    timestamp: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
    duration_ms: 100,
    span_id: `${run}-s${number}`,
    agent_id: "agent",
    thread_id: "thread",
    root_trace_id: run,
    turn_id: run,
    user_id: "user",
    ...more,
    attributes: { ...extra.attributes },
  };
}

const compare = (
  before: readonly TurnEvent[],
  after: readonly TurnEvent[],
  options?: CompareOptions,
): TraceComparison => compareTraceWindows(before, after, options);

const rows = (
  before: readonly TurnEvent[],
  after: readonly TurnEvent[],
): readonly (readonly [string | null, number, string])[] =>
  compare(before, after).operations.map(({ operation, ordinal, change }) => [
    operation,
    ordinal,
    change,
  ]);

describe("places", () => {
  test("many siblings are paired by their names, whatever their order and number", () => {
    const names = Array.from({ length: 12 }, (_, at) => `tool-${at}`);
    const tools = (run: string, operations: readonly string[]): TurnEvent[] => {
      const top = event(run, "turn");
      const below = { parent_span_id: top.span_id as string };
      return [
        top,
        ...operations.map((operation) => event(run, "tool_call", { operation, ...below })),
      ];
    };
    const { operations, counts } = compare(
      tools("a", names),
      tools("b", [...names.toReversed(), "tool-11", "tool-0"]),
    );
    expect(counts).toEqual({
      total: 15,
      matched: 13,
      ambiguous: 2,
      added: 2,
      removed: 0,
      changed: 0,
    });
    const added = operations.filter(({ change }) => change === "added");
    expect(added.map(({ operation, ordinal }) => [operation, ordinal])).toEqual([
      ["tool-11", 2],
      ["tool-0", 2],
    ]);
    for (const row of operations) expect(row.depth).toBe(row.operation === "turn" ? 0 : 1);
    for (const { baseline_event_id: id } of added) expect(id).toBeNull();
    for (const { change, baseline_event_id: id } of operations) {
      if (change === "unchanged") expect(id).toMatch(/^a-/);
    }
  });

  test("turns are paired by their order, and each has its own top", () => {
    const run = (turn: string, ...kinds: TurnEvent["event_kind"][]): TurnEvent[] =>
      kinds.map((kind) => event(turn, kind));
    const before = [...run("a1", "turn"), ...run("a2", "tool_call"), ...run("a3", "model_call")];
    const after = [...run("b1", "turn"), ...run("b2", "tool_call"), ...run("b3", "tool_call")];
    const { operations } = compare(before, after);
    expect(operations.map((row) => [row.event_kind, row.change, row.parent_index])).toEqual([
      ["turn", "unchanged", null],
      ["tool_call", "unchanged", null],
      ["model_call", "removed", null],
      ["tool_call", "added", null],
    ]);
    for (const { depth } of operations) expect(depth).toBe(0);
  });

  test("another kind of the same name stands at another place", () => {
    const before = [event("a", "tool_call", { operation: "search" })];
    const after = [event("b", "memory_retrieval", { operation: "search" })];
    expect(rows(before, after)).toEqual([
      ["search", 1, "removed"],
      ["search", 1, "added"],
    ]);
  });

  test.each([
    ["chat m1", "chat m2", [["chat", 1, "changed"]]],
    [
      "chat-m1",
      "chat-m2",
      [
        ["chat-m1", 1, "removed"],
        ["chat-m2", 1, "added"],
      ],
    ],
    [
      "chat m1 now",
      "chat m2 now",
      [
        ["chat m1 now", 1, "removed"],
        ["chat m2 now", 1, "added"],
      ],
    ],
    [
      "m1",
      "m2",
      [
        ["m1", 1, "removed"],
        ["m2", 1, "added"],
      ],
    ],
  ] as const)("%s and %s: only a model after a space is no part of the name", (was, is, stated) => {
    const call = (run: string, operation: string, model: string): TurnEvent =>
      event(run, "model_call", { operation, attributes: { model } });
    expect(rows([call("a", was, "m1")], [call("b", is, "m2")])).toEqual(stated);
  });
});

describe("differences", () => {
  const lasting = (run: string, duration_ms: number): TurnEvent =>
    event(run, "turn", { duration_ms });
  test.each([
    [10, 15, false],
    [10, 16, true],
    [1000, 1100, false],
    [1000, 1101, true],
    [1000, 899, true],
  ])("of %i and %i ms: 5 ms or a tenth are no change, whichever is more", (was, is, beyond) => {
    const { operations } = compare([lasting("a", was)], [lasting("b", is)]);
    expect(operations[0]?.duration_ms).toEqual({
      baseline: was,
      candidate: is,
      difference: is - was,
      beyond_tolerance: beyond,
    });
  });
  test("of an operation that one side does not have are unknown", () => {
    const { operations } = compare([lasting("a", 100)], []);
    expect(operations[0]).toMatchObject({
      change: "removed",
      candidate_event_id: null,
      duration_ms: { baseline: 100, candidate: null, difference: null, beyond_tolerance: null },
      tokens: { baseline: null, candidate: null, difference: null, beyond_tolerance: null },
    });
  });
  test("of the windows are those of their length, by the tolerance that was asked for", () => {
    const both = [[lasting("a", 100)], [lasting("b", 108)]] as const;
    const delta = { baseline: 100, candidate: 108, difference: 8 };
    expect(compare(...both).duration_ms).toEqual({ ...delta, beyond_tolerance: false });
    expect(compare(...both, { toleranceRatio: 0 }).duration_ms.beyond_tolerance).toBe(true);
    const wide = { toleranceRatio: 0, toleranceMs: 8 };
    expect(compare(...both, wide).duration_ms.beyond_tolerance).toBe(false);
    const parts = [lasting("c", 100), lasting("d", 30)];
    expect(compare(parts, []).duration_ms.baseline).toBe(130);
    expect(compare([], parts).duration_ms.baseline).toBeNull();
  });
});

describe("tokens", () => {
  const call = (attributes: TurnEvent["attributes"], extra: Partial<TurnEvent> = {}): TurnEvent =>
    event("a", "model_call", { attributes, ...extra });
  const total = (...events: TurnEvent[]): number | null => compare(events, []).tokens.baseline;
  test("of a window are those of its finished model calls", () => {
    const calls = [call({ total_tokens: 10 }), call({ input_tokens: 20, output_tokens: 5 })];
    expect(total(...calls)).toBe(35);
    const begun = call({}, { phase: "start", status: "started" });
    const tool = event("a", "tool_call", { attributes: { total_tokens: 500 } });
    expect(total(...calls, begun, tool)).toBe(35);
  });
  test("are unknown where one call does not say, and where there is none", () => {
    expect(total(call({ total_tokens: 10 }), call({}))).toBeNull();
    expect(total(call({ output_tokens: 10 }))).toBeNull();
    expect(total(call({ input_tokens: 10 }))).toBeNull();
    expect(total(event("a", "turn"))).toBeNull();
  });
  test("differ beyond the asked share", () => {
    const of = (run: string, total_tokens: number): TurnEvent[] => [
      event(run, "model_call", { attributes: { total_tokens } }),
    ];
    const beyond = (options?: CompareOptions): boolean | null =>
      compare(of("a", 100), of("b", 110), options).tokens.beyond_tolerance;
    expect(beyond()).toBe(false);
    expect(beyond({ toleranceRatio: 0.09 })).toBe(true);
  });
});
