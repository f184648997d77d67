/**
 * @module TreeRows: the rows of any tree grid, in pre-order: which of them are seen while some are
 * collapsed or left out, what is above one, and what one level more or less is. Linear; nothing
 * recurses, as a chain may be thousands deep.
 */

/** What a tree needs to know of a row. */
export interface TreeRow {
  /** Level from 1. */
  readonly level: number;
  /** Rows below this one that it holds; 0 for a leaf. */
  readonly descendants: number;
  /** Index of the row above it in the tree; -1 at the top. */
  readonly parent: number;
}

/** Indexes of the rows that are seen while some are collapsed. */
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

/** These rows and every row above them, so that each is seen in its place. */
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

/** The next of some rows from where one stands, round and round; undefined where there are none. */
export function nextOf(rows: readonly number[], at: number, by: 1 | -1): number | undefined {
  return by === 1
    ? (rows.find((row) => row > at) ?? rows[0])
    : (rows.findLast((row) => row < at) ?? rows.at(-1));
}

/** Every row that can be collapsed. */
export function allCollapsed(rows: readonly TreeRow[]): Set<number> {
  return new Set(rows.flatMap(({ descendants }, index) => (descendants > 0 ? [index] : [])));
}

/** One level more is seen: every row that is seen and collapsed is opened. */
export function oneLevelMore(
  rows: readonly TreeRow[],
  collapsed: ReadonlySet<number>,
): Set<number> {
  const next = new Set(collapsed);
  for (const index of visibleRows(rows, collapsed)) next.delete(index);
  return next;
}

/** One level less is seen: the deepest rows that are open are collapsed. */
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
