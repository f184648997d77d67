/** Rows of a comparison: positions among siblings, descendants, and which rows are changes. */
import { compareTraceWindows } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { compareRows, opensWithChanges } from "./compare-rows.ts";

function event(
  side: string,
  id: number,
  parent?: number,
  more: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${side}-${id}`,
    event_kind: id === 0 ? "turn" : "tool_call",
    operation: id === 0 ? "turn" : `call_${id}`,
    phase: "result",
    status: "success",
    timestamp: `2026-11-21T10:00:${String(10 + id)}.000Z`,
    duration_ms: 1_000,
    span_id: `${side}${id}`,
    ...(parent === undefined ? {} : { parent_span_id: `${side}${parent}` }),
    root_trace_id: side,
    turn_id: side,
    attributes: {},
    ...more,
  };
}

const side = (name: string, last: Partial<TurnEvent> = {}): TurnEvent[] => [
  event(name, 0),
  event(name, 1, 0),
  event(name, 2, 1),
  event(name, 3, 1, last),
  event(name, 4, 0),
];

const rowsOf = (last: Partial<TurnEvent>): ReturnType<typeof compareRows> =>
  compareRows(compareTraceWindows(side("a"), side("b", last)).operations);

test("each row knows its level, its place and what it holds", () => {
  const { rows } = rowsOf({});
  expect(
    rows.map(({ level, position, setSize, parent, descendants }) => [
      level,
      `${position}/${setSize}`,
      parent,
      descendants,
    ]),
  ).toEqual([
    [1, "1/1", -1, 4],
    [2, "1/2", 0, 2],
    [3, "1/2", 1, 0],
    [3, "2/2", 1, 0],
    [2, "2/2", 0, 0],
  ]);
});

test.each([
  ["nothing", {}, []],
  ["a status", { status: "error" }, [3]],
  ["a duration beyond the tolerance", { duration_ms: 1_500 }, [3]],
  ["a duration within it", { duration_ms: 1_050 }, []],
] as const)("of %s that differs", (_name, last, changed) => {
  const rows = rowsOf(last);
  expect(rows.changed).toEqual(changed);
  expect([...rows.kept].toSorted((a, b) => a - b)).toEqual(changed.length === 0 ? [] : [0, 1, 3]);
  expect(rows.scaleMs).toBe("duration_ms" in last ? Math.max(1_000, last.duration_ms) : 1_000);
  expect(opensWithChanges(rows)).toBe(false);
});
