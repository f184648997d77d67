/**
 * @module Flame: boxes never overlap in a row, stand below their parents, and name what they hide.
 */
import fc from "fast-check";
import { expect, test } from "vitest";

import { flameOf } from "./flame-rows.ts";
import type { WaterfallModel, WaterfallRow } from "./waterfall-rows.ts";

function rowOf(at: number, parent: number, time: readonly [number, number] | null): WaterfallRow {
  return {
    kind: "node",
    level: 1,
    position: 1,
    setSize: 1,
    descendants: 0,
    parent,
    startMs: time === null ? null : time[0],
    endMs: time === null ? null : time[0] + time[1],
    node: {
      event_id: `e${at}`,
      event_kind: "tool_call",
      tool_name: `t${at}`,
      model: null,
      operation: null,
      lane: "tool",
      status: at % 7 === 0 ? "error" : "success",
    },
  } as unknown as WaterfallRow;
}

const time = fc.option(
  fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 50 })),
  { freq: 8 },
);
const model = fc
  .array(fc.tuple(fc.nat(30), time), { minLength: 1, maxLength: 30 })
  .map((all): WaterfallModel => ({
    rows: all.map(([up, span], at) => rowOf(at, at === 0 ? -1 : (up % (at + 1)) - 1, span)),
    extentMs: 150,
  }));

test("no two boxes lie over each other, and each is below its parent", () => {
  fc.assert(
    fc.property(model, fc.integer({ min: 1, max: 40 }), (all, most) => {
      const { boxes, unknown, left, depth } = flameOf(all, most);
      expect(boxes.length + unknown + left).toBe(all.rows.length);
      expect(unknown).toBe(all.rows.filter(({ startMs }) => startMs === null).length);
      expect(boxes.length).toBe(Math.min(most, all.rows.length - unknown));
      for (const [at, one] of boxes.entries()) {
        expect(one.depth).toBeLessThan(depth);
        for (const other of boxes.slice(0, at)) {
          const apart =
            other.depth !== one.depth || other.toMs <= one.fromMs || one.toMs <= other.fromMs;
          expect(apart).toBe(true);
        }
        const { parent = -1 } = all.rows[Number(one.event_id.slice(1))] ?? {};
        const above = boxes.find(({ event_id: id }) => id === `e${parent}`);
        if (above !== undefined) expect(one.depth).toBeGreaterThan(above.depth);
      }
    }),
  );
});

test("the longest are drawn first, and a failed one says so", () => {
  const rows = [rowOf(0, -1, [0, 100]), rowOf(1, 0, [10, 5]), rowOf(2, 0, [20, 60])];
  const { boxes, left } = flameOf({ rows, extentMs: 100 }, 2);
  expect(boxes.map(({ name, failed, depth }) => [name, failed, depth])).toEqual([
    ["t0", true, 0],
    ["t2", false, 1],
  ]);
  expect(left).toBe(1);
});
