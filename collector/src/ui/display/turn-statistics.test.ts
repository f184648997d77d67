/**
 * @module Statistics of a turn: self time, overlaps, unknown durations and the direction of errors
 * in sums.
 */
import { buildCausalWaterfall } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import fc from "fast-check";
import { expect, test } from "vitest";

import { sortLines, turnStatistics } from "./turn-statistics.ts";
import type { StatisticsLine } from "./turn-statistics.ts";
import { waterfallRows } from "./waterfall-rows.ts";

type Part = readonly [id: string, parent: string | undefined, from: number, to: number | undefined];

function span([id, parent, from, to]: Part, more: Partial<TurnEvent> = {}): TurnEvent {
  const at = (ms: number): string => new Date(ms).toISOString();
  return {
    schema_version: 3,
    event_id: to === undefined ? `${id}:start` : `${id}:result`,
    event_kind: "application_action",
    operation: id.replace(/\d+$/, ""),
    phase: to === undefined ? "start" : "result",
    status: "success",
    timestamp: at(to ?? from),
    started_at: at(from),
    ...(to === undefined ? {} : { duration_ms: to - from }),
    span_id: id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    application_id: "desk",
    root_trace_id: "r",
    turn_id: "u",
    attributes: {},
    ...more,
  };
}

function linesOf(
  events: readonly TurnEvent[],
  by: Parameters<typeof turnStatistics>[2] = "op",
): ReadonlyMap<string | undefined, StatisticsLine> {
  const byId = new Map(events.map((event) => [event.event_id, event]));
  const model = waterfallRows(buildCausalWaterfall(events));
  const lines = turnStatistics(
    model,
    ({ node }) => (node?.event_ids ?? []).flatMap((id) => byId.get(id) ?? []),
    by,
  );
  return new Map(lines.map((line) => [line.value, line]));
}

test("self time is what no child covers, and children at the same time count once", () => {
  const lines = linesOf([
    span(["turn", undefined, 0, 1_000]),
    span(["call1", "turn", 100, 400]),
    span(["call2", "turn", 300, 600], { status: "error" }),
    span(["call3", "turn", 900, 1_200]),
  ]);
  expect(lines.get("turn")).toMatchObject({
    count: 1,
    total: { ms: 1_000, bound: "exact" },
    self: { ms: 400, bound: "exact" },
  });
  expect(lines.get("call")).toMatchObject({
    count: 3,
    errors: 1,
    unknown: 0,
    total: { ms: 900, bound: "exact" },
    self: { ms: 900, bound: "exact" },
    mean: 300,
    p95: 300,
    max: 300,
    share: 800 / 1_200,
  });
});

test("a child within the time of another covers nothing more", () => {
  const lines = linesOf([
    span(["turn", undefined, 0, 1_000]),
    span(["long", "turn", 100, 600]),
    span(["short", "turn", 200, 300]),
    span(["last", "turn", 550, 700]),
  ]);
  expect(lines.get("turn")).toMatchObject({ self: { ms: 400, bound: "exact" } });
});

test("what is unknown is counted, never zero, and bounds every sum that it is part of", () => {
  const lines = linesOf([
    span(["turn", undefined, 0, 1_000]),
    span(["call1", "turn", 100, 400]),
    span(["call2", "turn", 500, undefined]),
    span(["open", "call1", 200, undefined]),
  ]);
  expect(lines.get("turn")).toMatchObject({ self: { ms: 700, bound: "at_most" } });
  expect(lines.get("call")).toMatchObject({
    count: 2,
    unknown: 1,
    total: { ms: 300, bound: "at_least" },
    self: { ms: 300, bound: "about" },
    mean: 300,
  });
  expect(lines.get("open")).toMatchObject({
    count: 1,
    unknown: 1,
    total: null,
    self: null,
    mean: null,
    p95: null,
    max: null,
    share: null,
  });
});

test("points in time are counted and have no duration", () => {
  const { started_at: _when, duration_ms: _known, ...point } = span(["mark", "turn", 50, 50]);
  const lines = linesOf([span(["turn", undefined, 0, 100]), { ...point, phase: "event" }]);
  expect(lines.get("mark")).toMatchObject({ count: 1, points: 1, unknown: 0, total: null });
  expect(lines.get("turn")).toMatchObject({ self: { ms: 100, bound: "exact" } });
});

test("rows that say no value have a line of their own", () => {
  const tool = { event_kind: "tool_call", attributes: { tool_name: "search" } } as const;
  const lines = linesOf(
    [span(["turn", undefined, 0, 100]), span(["call", "turn", 10, 20], tool)],
    "tool",
  );
  expect([...lines.keys()]).toEqual([undefined, "search"]);
  expect([...linesOf([span(["a", undefined, 0, 9])], "service").keys()]).toEqual(["desk"]);
  const release = { attributes: { service_version: "2.0.0" } };
  expect([...linesOf([span(["a", undefined, 0, 9], release)], "release").keys()]).toEqual([
    "2.0.0",
  ]);
});

test("unknown values are last, however lines are sorted", () => {
  const lines = [
    ...linesOf([
      span(["b", undefined, 0, 100]),
      span(["a", "b", 10, 20]),
      span(["c", "b", 30, undefined]),
    ]).values(),
  ];
  const order = (column: "value" | "self", descending: boolean): readonly unknown[] =>
    sortLines(lines, column, descending).map(({ value }) => value);
  expect(order("self", true)).toEqual(["b", "a", "c"]);
  expect(order("self", false)).toEqual(["a", "b", "c"]);
  expect(order("value", true)).toEqual(["c", "b", "a"]);
});

test("self times of a recorded tree add up to the time that its top took", () => {
  // Consecutive children inside of their parent, without overlap.
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 }), (lengths) => {
      const sum = lengths.reduce((all, one) => all + one, 0);
      let from = 1;
      const children = lengths.map((length, index) => {
        const child = span([`c${index}`, "top", from, from + length]);
        from += length;
        return child;
      });
      const lines = linesOf([span(["top", undefined, 0, sum + 2]), ...children]);
      const selves = [...lines.values()].map(({ self }) => self?.ms ?? Number.NaN);
      expect(selves.reduce((all, one) => all + one, 0)).toBe(sum + 2);
    }),
  );
});
