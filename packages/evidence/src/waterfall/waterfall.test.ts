/** Waterfall: pairing, parents, causes, cycles, time and the critical path. */
import { describe, expect, test } from "vitest";

import type { TurnEvent } from "../event/event.ts";
import { buildCausalWaterfall } from "./waterfall.ts";
import type { WaterfallNode } from "./causal-waterfall.ts";

const turn = {
  application_id: "app",
  agent_id: "agent",
  user_id: "user",
  thread_id: "thread",
  root_trace_id: "root",
  turn_id: "turn",
};

/** A result of `ms` milliseconds that ends `second` seconds after ten. */
function result(id: string, second: number, extra: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${id}:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:00:${String(second).padStart(2, "0")}.000000000Z`,
    span_id: id,
    ...turn,
    ...extra,
    attributes: { ...extra.attributes },
  };
}

function start(id: string, second: number, extra: Partial<TurnEvent> = {}): TurnEvent {
  const marker = { event_id: `${id}:start`, phase: "start", status: "started" } as const;
  return { ...result(id, second, extra), ...marker, span_id: `marker-${id}` };
}

function nodesOf(events: readonly unknown[]): readonly WaterfallNode[] {
  return buildCausalWaterfall(events).groups.flatMap((group) => group.nodes);
}

describe("pairing", () => {
  test("a marker and its result are one node with the time between them", () => {
    const [node, ...rest] = nodesOf([result("a", 5), start("a", 2)]);
    expect(rest).toEqual([]);
    expect(node).toMatchObject({
      event_ids: ["a:start", "a:result"],
      duration_ms: 3000,
      timing: "measured",
      start_offset_ms: 0,
      end_offset_ms: 3000,
    });
  });

  test("a start without a result, a point, and a result without a start say so", () => {
    const point = result("c", 3, { phase: "event", event_kind: "cache_decision" });
    const nodes = nodesOf([start("a", 1), result("b", 2), point]);
    expect(nodes.map(({ timing, duration_ms }) => [timing, duration_ms])).toEqual([
      ["missing_completion", null],
      ["unknown", null],
      ["instantaneous", 0],
    ]);
  });

  test("spans of other turns, threads and tenants never merge", () => {
    const others = [{ turn_id: "other" }, { thread_id: "other" }, { user_id: null }, {}];
    const events = others.flatMap((other) => [start("a", 1, other), result("a", 2, other)]);
    const { groups, counts } = buildCausalWaterfall(events);
    expect(groups.map(({ nodes }) => nodes.length)).toEqual([1, 1, 1, 1]);
    expect(counts.missing_completions).toBe(0);
  });

  test("a point that was recorded under its enclosing span's id stands below it", () => {
    const point = result("a", 2, {
      event_id: "point",
      phase: "event",
      event_kind: "cache_decision",
    });
    const nodes = nodesOf([point, start("a", 1), result("a", 3)]);
    expect(nodes.map(({ event_id, depth }) => [event_id, depth])).toEqual([
      ["a:result", 0],
      ["point", 1],
    ]);
  });
});

describe("parents and causes", () => {
  test("rows are in pre-order with what a tree grid needs", () => {
    const child = (id: string, at: number, parent: string): TurnEvent =>
      result(id, at, { parent_span_id: parent, started_at: `2026-11-21T10:00:0${at - 1}Z` });
    const events = [child("c", 6, "a"), child("b", 4, "a"), child("d", 5, "b"), result("a", 9)];
    const rows = nodesOf(events).map((node) => [
      node.span_id,
      node.depth,
      node.parent_index,
      node.child_count,
      node.descendant_count,
      `${node.pos_in_set}/${node.set_size}`,
    ]);
    expect(rows).toEqual([
      ["a", 0, null, 2, 3, "1/1"],
      ["b", 1, 0, 1, 1, "1/2"],
      ["d", 2, 1, 0, 0, "1/1"],
      ["c", 1, 0, 0, 0, "2/2"],
    ]);
  });

  test("a parent is missing, elsewhere, remote, or the root, which is never missing", () => {
    const parents: Partial<TurnEvent>[] = [
      { parent_span_id: "nowhere" },
      { parent_span_id: "far" },
      { parent_span_id: "remote", parent_remote: true },
      { parent_span_id: "root" },
      {},
    ];
    const events = parents.map((parent, at) => result(`n${at}`, at + 1, parent));
    const far = result("far", 30, { turn_id: "other" });
    const foreign = result("nowhere", 31, { user_id: "somebody else" });
    const nodes = nodesOf([...events, far, foreign]).slice(0, 5);
    expect(nodes.map((node) => node.missing_parent)).toEqual([true, false, false, false, false]);
    expect(nodes.map((node) => node.parent_elsewhere)).toEqual([false, true, false, false, false]);
    expect(nodes.map((node) => node.remote_parent)).toEqual([false, false, true, false, false]);
  });

  test("a cause is looked up in the whole root of the tenant", () => {
    const cause = result("cause", 1, { turn_id: "earlier" });
    const held = result("held", 2, { caused_by_event_id: "cause:result" });
    const lost = result("lost", 3, { caused_by_event_id: "never seen" });
    const missing = nodesOf([cause, held, lost]).map((node) => [node.span_id, node.missing_cause]);
    expect(missing).toEqual([
      ["cause", false],
      ["held", false],
      ["lost", true],
    ]);
  });

  test("a circle is flagged, cut at its earliest member, and loses nobody", () => {
    const circle = [
      result("a", 1, { parent_span_id: "c" }),
      result("b", 2, { parent_span_id: "a" }),
      result("c", 3, { parent_span_id: "b" }),
      result("below", 4, { parent_span_id: "c" }),
    ];
    const rows = nodesOf(circle).map((node) => [node.span_id, node.depth, node.cycle]);
    expect(rows).toEqual([
      ["a", 0, true],
      ["b", 1, true],
      ["c", 2, true],
      ["below", 3, false],
    ]);
    expect(nodesOf(circle.toReversed())).toEqual(nodesOf(circle));
  });
});

test("a span that is its own parent is a circle of one", () => {
  const events = [result("a", 1, { parent_span_id: "a" }), result("b", 2, { parent_span_id: "a" })];
  const rows = nodesOf(events).map((node) => [node.span_id, node.depth, node.cycle]);
  expect(rows).toEqual([
    ["a", 0, true],
    ["b", 1, false],
  ]);
  expect(buildCausalWaterfall(events).counts).toMatchObject({ cycles: 1, missing_parents: 0 });
});

test("a marker whose parent is the span that it announces is no circle", () => {
  const marker = { phase: "start", status: "started", event_id: "a:start" } as const;
  const [node] = nodesOf([result("a", 1, { ...marker, parent_span_id: "a" })]);
  expect(node).toMatchObject({ span_id: "a", cycle: false, parent_span_id: null });
});

describe("time", () => {
  test("a child that starts before its parent is kept and flagged", () => {
    const parent = result("a", 9, { started_at: "2026-11-21T10:00:05Z" });
    const early = { parent_span_id: "a", started_at: "2026-11-21T10:00:01Z" };
    const nodes = nodesOf([parent, result("b", 6, early)]);
    expect(nodes.map((node) => [node.span_id, node.clock_skewed])).toEqual([
      ["a", false],
      ["b", true],
    ]);
    expect(nodes[1]?.start_offset_ms).toBe(0);
    expect(nodes[0]?.start_offset_ms).toBe(4000);
  });

  test("the critical path goes back through what finished last", () => {
    const timed = (id: string, from: number, to: number, parent?: string): TurnEvent =>
      result(id, to, {
        started_at: `2026-11-21T10:00:0${from}Z`,
        ...(parent === undefined ? {} : { parent_span_id: parent }),
      });
    const events = [
      timed("a", 0, 9),
      timed("b", 1, 4, "a"),
      timed("c", 2, 3, "a"),
      timed("d", 5, 8, "a"),
      timed("e", 6, 7, "d"),
    ];
    const critical = nodesOf(events).filter((node) => node.critical);
    expect(critical.map((node) => node.span_id)).toEqual(["a", "b", "d", "e"]);
  });

  test("nanoseconds survive in durations", () => {
    const event = result("a", 0, {
      timestamp: "2026-11-21T10:00:00.000250000Z",
      started_at: "2026-11-21T10:00:00.000000000Z",
    });
    expect(nodesOf([event])[0]?.duration_ms).toBeCloseTo(0.25, 3);
  });
});
