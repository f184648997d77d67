/**
 * @module CompareRows: the operations of a comparison as rows of a tree grid: their hierarchy,
 * which rows changed, and which are shown in the changes-only view.
 */
import type { OperationRow } from "@turnproof/evidence";

import { withAncestors } from "./tree-rows.ts";
import type { TreeRow } from "./tree-rows.ts";

/** One row of the grid; rows are in pre-order. */
export interface CompareRow extends TreeRow {
  readonly operation: OperationRow;
  /** Position among its siblings from 1, and their number. */
  readonly position: number;
  readonly setSize: number;
}

/** The rows, and facts about all of them. */
export interface CompareRows {
  readonly rows: readonly CompareRow[];
  /** Indexes of rows with a change of their own, in order. */
  readonly changed: readonly number[];
  /** Those, and the rows above them. */
  readonly kept: ReadonlySet<number>;
  /** The longest duration of either side, in milliseconds. */
  readonly scaleMs: number;
}

/** Number of operations above which only changes are shown at first. */
const manyOperations = 24;

/** Rows of operations in pre-order. Linear, without recursion. */
export function compareRows(operations: readonly OperationRow[]): CompareRows {
  const sizes = new Map<number, number>();
  const positions = operations.map(({ parent_index: parent }) => {
    const position = (sizes.get(parent ?? -1) ?? 0) + 1;
    sizes.set(parent ?? -1, position);
    return position;
  });
  const descendants = new Int32Array(operations.length);
  for (let at = operations.length - 1; at >= 0; at -= 1) {
    const parent = operations[at]?.parent_index ?? -1;
    if (parent !== -1)
      descendants[parent] = (descendants[parent] ?? 0) + 1 + (descendants[at] ?? 0);
  }
  const rows = operations.map((operation, at): CompareRow => {
    const parent = operation.parent_index ?? -1;
    return {
      operation,
      level: operation.depth + 1,
      parent,
      descendants: descendants[at] ?? 0,
      position: positions[at] ?? 1,
      setSize: sizes.get(parent) ?? 1,
    };
  });
  const changed = operations.flatMap((row, at) => (isChange(row) ? [at] : []));
  return {
    rows,
    changed,
    kept: withAncestors(rows, changed),
    scaleMs: operations.reduce(
      (most, { duration_ms: d }) => Math.max(most, d.baseline ?? 0, d.candidate ?? 0),
      0,
    ),
  };
}

/** A row with a different value, or with a difference in time or tokens beyond the tolerance. */
function isChange({ change, duration_ms, tokens }: OperationRow): boolean {
  if (change !== "unchanged") return true;
  return duration_ms.beyond_tolerance === true || tokens.beyond_tolerance === true;
}

/** Whether a comparison opens with its changes alone. */
export function opensWithChanges({ rows, changed }: CompareRows): boolean {
  return changed.length > 0 && rows.length > manyOperations;
}
