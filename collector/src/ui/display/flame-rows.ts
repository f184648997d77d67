/**
 * @module FlameRows: the waterfall as boxes below each other: each as wide as it took, below the
 * box of its parent, and one row further down where another box is in its place.
 */
import type { Lane } from "@turnproof/evidence";

import { nodeTexts } from "./row-summary.ts";
import type { WaterfallModel, WaterfallRow } from "./waterfall-rows.ts";

/** One box; times are milliseconds from the start. */
export interface FlameBox {
  readonly event_id: string;
  readonly name: string;
  readonly lane: Lane;
  readonly failed: boolean;
  readonly fromMs: number;
  readonly toMs: number;
  /** Row, 0 at the top. */
  readonly depth: number;
}

/** The boxes of a turn. */
export interface Flame {
  readonly boxes: readonly FlameBox[];
  readonly depth: number;
  readonly extentMs: number;
  /** Rows without a known begin and end. */
  readonly unknown: number;
  /** Rows that are not drawn, shorter than every drawn one. */
  readonly left: number;
}

/** The longest `most` rows as boxes. */
export function flameOf({ rows, extentMs }: WaterfallModel, most: number): Flame {
  const nodes = rows.map((row, at) => ({ row, at })).filter(({ row }) => row.node !== undefined);
  const timed = nodes.filter(({ row }) => lengthOf(row) !== undefined);
  const kept = new Set(
    timed
      .toSorted((a, b) => (lengthOf(b.row) ?? 0) - (lengthOf(a.row) ?? 0) || a.at - b.at)
      .slice(0, most)
      .map(({ at }) => at),
  );
  /** By row of the drawing, the boxes in it. */
  const taken: FlameBox[][] = [];
  const depthAt = new Map<number, number>();
  const boxes = timed
    .filter(({ at }) => kept.has(at))
    .flatMap(({ row, at }) => {
      const { node, startMs: fromMs, endMs: toMs } = row;
      if (node === undefined || fromMs === null || toMs === null) return [];
      let depth = parentDepth(rows, at, depthAt) + 1;
      while (taken[depth]?.some((one) => one.fromMs < toMs && fromMs < one.toMs) === true) {
        depth += 1;
      }
      const box: FlameBox = {
        event_id: node.event_id,
        name: nodeTexts(node).name,
        lane: node.lane,
        failed: node.status === "error",
        fromMs,
        toMs,
        depth,
      };
      depthAt.set(at, depth);
      (taken[depth] ??= []).push(box);
      return [box];
    });
  return {
    boxes,
    depth: taken.length,
    extentMs,
    unknown: nodes.length - timed.length,
    left: timed.length - boxes.length,
  };
}

function lengthOf({ startMs: from, endMs: to }: WaterfallRow): number | undefined {
  return from === null || to === null || to < from ? undefined : to - from;
}

/** Depth of the nearest drawn parent, -1 without one. */
function parentDepth(
  rows: readonly WaterfallRow[],
  at: number,
  depthAt: ReadonlyMap<number, number>,
): number {
  for (let up = rows[at]?.parent ?? -1; up >= 0; up = rows[up]?.parent ?? -1) {
    const depth = depthAt.get(up);
    if (depth !== undefined) return depth;
  }
  return -1;
}
