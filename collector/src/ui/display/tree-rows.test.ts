/** Rows of a tree: which are shown, ancestors, and one level more or less. */
import fc from "fast-check";
import { expect, test } from "vitest";

import {
  allCollapsed,
  oneLevelLess,
  oneLevelMore,
  rowsAbove,
  visibleRows,
  withAncestors,
} from "./tree-rows.ts";
import type { TreeRow } from "./tree-rows.ts";

/** A tree in pre-order from levels; a level is at most one below the row before. */
function tree(levels: readonly number[]): readonly TreeRow[] {
  const rows: { level: number; descendants: number; parent: number }[] = [];
  levels.forEach((wanted, at) => {
    const level = Math.min(wanted, (rows[at - 1]?.level ?? 0) + 1);
    const parent = rows.findLastIndex((row) => row.level < level);
    for (let above = parent; above !== -1; above = rows[above]!.parent) {
      rows[above]!.descendants += 1;
    }
    rows.push({ level, descendants: 0, parent });
  });
  return rows;
}

const anyTree = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 40 }).map(tree);
const seen = (rows: readonly TreeRow[], collapsed: ReadonlySet<number>): number[] => [
  ...visibleRows(rows, collapsed),
];

test("nothing collapsed is everything, everything collapsed is the top", () => {
  fc.assert(
    fc.property(anyTree, (rows) => {
      expect(seen(rows, new Set())).toEqual(rows.map((_, index) => index));
      const tops = seen(rows, allCollapsed(rows));
      expect(tops.every((index) => rows[index]?.parent === -1)).toBe(true);
      expect(tops).toHaveLength(rows.filter(({ parent }) => parent === -1).length);
    }),
  );
});

test("level by level down shows one level more each time, and level by level up takes it away", () => {
  fc.assert(
    fc.property(anyTree, (rows) => {
      let collapsed = allCollapsed(rows);
      const deepest = Math.max(...rows.map(({ level }) => level));
      for (let level = 1; level <= deepest; level += 1) {
        const wanted = rows.flatMap((row, index) => (row.level <= level ? [index] : []));
        expect(seen(rows, collapsed)).toEqual(wanted);
        collapsed = oneLevelMore(rows, collapsed);
      }
      expect(seen(rows, collapsed)).toHaveLength(rows.length);
      for (let level = deepest - 1; level >= 1; level -= 1) {
        collapsed = oneLevelLess(rows, collapsed);
        const wanted = rows.flatMap((row, index) => (row.level <= level ? [index] : []));
        expect(seen(rows, collapsed)).toEqual(wanted);
      }
    }),
  );
});

test("what is above a row, from the top, also of a chain of 1,500", () => {
  const chain = tree(Array.from({ length: 1_500 }, (_, index) => index + 1));
  expect(rowsAbove(chain, 1_499)).toEqual(Array.from({ length: 1_499 }, (_, index) => index));
  expect(rowsAbove(chain, 0)).toEqual([]);
  expect(withAncestors(chain, [1_499]).size).toBe(1_500);
});
