/**
 * @module Rows of the tree grid and their scale: sets, levels, placeholder parents, gaps, zoom.
 */
import { buildCausalWaterfall } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { idleGaps, ticks, timeScale } from "./time-scale.ts";
import { visibleRows } from "./tree-rows.ts";
import { waterfallRows } from "./waterfall-rows.ts";

function span(
  id: number,
  parent: number | string | undefined,
  more: Partial<TurnEvent> = {},
): TurnEvent {
  return {
    schema_version: 3,
    event_id: `s${id}:result`,
    event_kind: "application_action",
    phase: "result",
    status: "success",
    timestamp: new Date(1_000 * id + 500).toISOString(),
    started_at: new Date(1_000 * id).toISOString(),
    duration_ms: 500,
    span_id: `s${id}`,
    ...(parent === undefined
      ? {}
      : { parent_span_id: typeof parent === "number" ? `s${parent}` : parent }),
    agent_id: "a",
    thread_id: "t",
    root_trace_id: "r",
    turn_id: "u",
    attributes: {},
    ...more,
  };
}

const rowsOf = (events: readonly TurnEvent[]) => waterfallRows(buildCausalWaterfall(events));

test("one turn: levels, positions and descendants of every row", () => {
  const { rows, extentMs } = rowsOf([span(0, undefined), span(1, 0), span(2, 1), span(3, 0)]);
  expect(
    rows.map(({ level, position, setSize, descendants, parent }) => [
      level,
      position,
      setSize,
      descendants,
      parent,
    ]),
  ).toEqual([
    [1, 1, 1, 3, -1],
    [2, 1, 2, 1, 0],
    [3, 1, 1, 0, 1],
    [2, 2, 2, 0, 0],
  ]);
  expect(extentMs).toBe(3_500);
});

test("orphans of one missing parent stand under one hollow row", () => {
  const { rows } = rowsOf([
    span(0, undefined),
    span(1, "lost"),
    span(2, 1),
    span(3, "lost"),
    span(4, "gone"),
  ]);
  expect(
    rows.map(({ kind, level, missingId, descendants }) => [kind, level, missingId, descendants]),
  ).toEqual([
    ["node", 1, undefined, 0],
    ["missing", 1, "lost", 3],
    ["node", 2, undefined, 1],
    ["node", 3, undefined, 0],
    ["node", 2, undefined, 0],
    ["missing", 1, "gone", 1],
    ["node", 2, undefined, 0],
  ]);
  expect(rows[4]).toMatchObject({ position: 2, setSize: 2, parent: 1 });
});

test("two turns stand under rows of their own, on one clock", () => {
  const { rows } = rowsOf([span(0, undefined), span(5, undefined, { turn_id: "v" })]);
  expect(rows.map(({ kind, level, startMs }) => [kind, level, startMs])).toEqual([
    ["turn", 1, 0],
    ["node", 2, 0],
    ["turn", 1, 5_000],
    ["node", 2, 5_000],
  ]);
});

test("any forest: parents stand before their rows, one level above, and hold them", () => {
  const parents = fc.array(fc.option(fc.nat(30), { nil: undefined }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(parents, (list) => {
      const events = list.map((parent, index) =>
        span(index, parent === index ? undefined : parent),
      );
      const { rows } = rowsOf(events);
      expect(rows.filter(({ kind }) => kind === "node")).toHaveLength(list.length);
      rows.forEach((row, index) => {
        if (row.parent === -1) {
          expect(row.level).toBe(1);
          return;
        }
        const above = rows[row.parent]!;
        expect(row.parent).toBeLessThan(index);
        expect(row.level).toBe(above.level + 1);
        expect(index).toBeLessThanOrEqual(row.parent + above.descendants);
      });
      const all = new Set(
        rows.flatMap(({ descendants }, index) => (descendants > 0 ? [index] : [])),
      );
      expect([...visibleRows(rows, new Set())]).toEqual(rows.map((_, index) => index));
      expect([...visibleRows(rows, all)].every((index) => rows[index]!.parent === -1)).toBe(true);
    }),
  );
});

describe("scale", () => {
  test("place and time are each other's inverse, with and without gaps", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), fc.boolean(), (ms, torn) => {
        const gaps = torn ? [{ fromMs: 20, toMs: 70 }] : [];
        const scale = timeScale({ fromMs: 0, toMs: 100 }, gaps);
        if (torn && ms > 20 && ms < 70) return;
        expect(scale.timeAt(scale.place(ms))).toBeCloseTo(ms, 6);
      }),
    );
  });

  test("a compressed gap keeps its ends in order and gives its room away", () => {
    const scale = timeScale({ fromMs: 0, toMs: 100 }, [{ fromMs: 20, toMs: 70 }]);
    expect(scale.place(20)).toBeCloseTo(0.392);
    expect(scale.place(70)).toBeCloseTo(0.412);
    expect(scale.place(100)).toBeCloseTo(1);
    expect(scale.tears).toHaveLength(1);
  });

  test("a long time without any innermost row at work is a gap", () => {
    const { rows, extentMs } = rowsOf([
      span(0, undefined, { timestamp: new Date(9_500).toISOString(), duration_ms: 9_500 }),
      span(1, 0),
      span(9, 0),
    ]);
    expect(idleGaps(rows, extentMs)).toEqual([{ fromMs: 1_500, toMs: 9_000 }]);
  });

  test("ticks are round, inside, and few", () => {
    expect(ticks({ fromMs: 0, toMs: 1_520 })).toEqual([0, 500, 1_000]);
    expect(ticks({ fromMs: 0, toMs: 0 })).toEqual([]);
    expect(ticks({ fromMs: 0, toMs: 1_330 }, 86)).toEqual([0, 1_000]);
    expect(ticks({ fromMs: 0, toMs: 1_330 }, 30)).toEqual([0]);
  });
});
