/**
 * @module TreeRows: the rows of any tree grid, in pre-order: which are shown while some are
 * collapsed or filtered, ancestors of a row, and one level more or less. Linear, without
 * recursion, because a chain may be thousands deep.
 */

/** Fields of a row that a tree needs. */
export interface TreeRow {
  /** Level from 1. */
  readonly level: number;
  /** Number of rows below this one; 0 for a leaf. */
  readonly descendants: number;
  /** Index of the row above it in the tree; -1 at the top. */
  readonly parent: number;
}

/** Indexes of the shown rows while some are collapsed. */
export function visibleRows(rows: readonly TreeRow[], collapsed: ReadonlySet<number>): Int32Array {
  const visible = new Int32Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    visible[count] = at;
    count += 1;
    if (collapsed.has(at)) at += rows[at]?.descendants ?? 0;
  }
  return visible.subarray(0, count);
}

/** Indexes of the rows above a row, the topmost first. */
export function rowsAbove(rows: readonly TreeRow[], index: number): readonly number[] {
  const above: number[] = [];
  for (let at = rows[index]?.parent ?? -1; at !== -1; at = rows[at]?.parent ?? -1) above.push(at);
  return above.toReversed();
}

/** These rows and all their ancestors, so that each is shown in its place. */
export function withAncestors(
  rows: readonly TreeRow[],
  found: readonly number[],
): ReadonlySet<number> {
  const kept = new Set<number>();
  for (const index of found) {
    for (let at = index; at !== -1 && !kept.has(at); at = rows[at]?.parent ?? -1) kept.add(at);
  }
  return kept;
}

/** The next of some rows from the present one, cyclically; undefined where there are none. */
export function nextOf(rows: readonly number[], at: number, by: 1 | -1): number | undefined {
  return by === 1
    ? (rows.find((row) => row > at) ?? rows[0])
    : (rows.findLast((row) => row < at) ?? rows.at(-1));
}

/** Every row that can be collapsed. */
export function allCollapsed(rows: readonly TreeRow[]): Set<number> {
  return new Set(rows.flatMap(({ descendants }, index) => (descendants > 0 ? [index] : [])));
}

/** One level more: every shown collapsed row is opened. */
export function oneLevelMore(
  rows: readonly TreeRow[],
  collapsed: ReadonlySet<number>,
): Set<number> {
  const next = new Set(collapsed);
  for (const index of visibleRows(rows, collapsed)) next.delete(index);
  return next;
}

/** One level less: the deepest open rows are collapsed. */
export function oneLevelLess(
  rows: readonly TreeRow[],
  collapsed: ReadonlySet<number>,
): Set<number> {
  const isOpen = (index: number): boolean =>
    (rows[index]?.descendants ?? 0) > 0 && !collapsed.has(index);
  const open = [...visibleRows(rows, collapsed)].filter(isOpen);
  const level = (index: number): number => rows[index]?.level ?? 0;
  const deepest = open.reduce((most, index) => Math.max(most, level(index)), 0);
  return new Set([...collapsed, ...open.filter((index) => level(index) === deepest)]);
}
