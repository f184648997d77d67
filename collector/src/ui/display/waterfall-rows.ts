/**
 * @module WaterfallRows: the waterfall as rows of a tree grid. Several turns of one root get a row
 * each, and a missing parent becomes a placeholder row above its orphans, so that a gap is shown
 * in its place.
 */
import type {
  CausalWaterfall,
  IdentityTuple,
  WaterfallGroup,
  WaterfallNode,
} from "@turnproof/evidence";

import type { TreeRow } from "./tree-rows.ts";

/** One row of the grid; rows are in pre-order. */
export interface WaterfallRow extends TreeRow {
  readonly kind: "node" | "missing" | "turn";
  /** Position and size of the set of siblings: the aria attributes of the row. */
  readonly position: number;
  readonly setSize: number;
  readonly node?: WaterfallNode;
  /** Milliseconds from the start of the whole waterfall; null is unknown. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** For a placeholder row: the id that is referred to and not recorded. */
  readonly missingId?: string;
  /** For a turn's row. */
  readonly identity?: IdentityTuple;
}

/** All rows and the time that they span. */
export interface WaterfallModel {
  readonly rows: readonly WaterfallRow[];
  readonly extentMs: number;
}

type Draft = { -readonly [K in keyof WaterfallRow]: WaterfallRow[K] };

/** Rows of a waterfall. Linear, without recursion. */
export function waterfallRows(waterfall: CausalWaterfall): WaterfallModel {
  const { groups } = waterfall;
  const origin = groups.reduce(
    (first, { origin_ms: at }) => Math.min(first, at ?? first),
    Infinity,
  );
  const rows: Draft[] = [];
  let extentMs = 0;
  groups.forEach((group, index) => {
    const shift = group.origin_ms === null ? 0 : group.origin_ms - origin;
    const end = shift + (group.extent_ms ?? 0);
    if (end > extentMs) extentMs = end;
    if (groups.length === 1) {
      addGroup(rows, group, { shift, level: 1, parent: -1 });
      return;
    }
    const head = rows.length;
    rows.push({
      kind: "turn",
      level: 1,
      position: index + 1,
      setSize: groups.length,
      descendants: 0,
      parent: -1,
      startMs: group.origin_ms === null ? null : shift,
      endMs: group.extent_ms === null ? null : end,
      identity: group.identity,
    });
    addGroup(rows, group, { shift, level: 2, parent: head });
    (rows[head] as Draft).descendants = rows.length - head - 1;
  });
  return { rows, extentMs };
}

interface TreePlace {
  readonly shift: number;
  readonly level: number;
  readonly parent: number;
}

/** Subtrees of a group by their parent: the root level, or a missing id. */
function addGroup(rows: Draft[], { nodes }: WaterfallGroup, place: TreePlace): void {
  const tops: { readonly missing: string | null; readonly starts: number[] }[] = [];
  const byMissing = new Map<string, number[]>();
  nodes.forEach((node, index) => {
    if (node.depth !== 0) return;
    const missing = node.missing_parent ? node.parent_span_id : null;
    const others = missing === null ? undefined : byMissing.get(missing);
    if (others !== undefined) {
      others.push(index);
      return;
    }
    const starts = [index];
    tops.push({ missing, starts });
    if (missing !== null) byMissing.set(missing, starts);
  });
  tops.forEach(({ missing, starts }, at) => {
    const set = { position: at + 1, setSize: tops.length };
    if (missing === null) {
      addSubtree(rows, nodes, starts[0] ?? 0, { ...place, ...set });
      return;
    }
    const head = rows.length;
    rows.push({
      kind: "missing",
      level: place.level,
      ...set,
      descendants: 0,
      parent: place.parent,
      startMs: null,
      endMs: null,
      missingId: missing,
    });
    starts.forEach((start, orphan) => {
      const below = { shift: place.shift, level: place.level + 1, parent: head };
      addSubtree(rows, nodes, start, { ...below, position: orphan + 1, setSize: starts.length });
    });
    (rows[head] as Draft).descendants = rows.length - head - 1;
  });
}

function addSubtree(
  rows: Draft[],
  nodes: readonly WaterfallNode[],
  start: number,
  place: TreePlace & { readonly position: number; readonly setSize: number },
): void {
  const offset = rows.length - start;
  const end = start + (nodes[start]?.descendant_count ?? 0);
  for (let index = start; index <= end; index += 1) {
    const node = nodes[index] as WaterfallNode;
    const top = index === start;
    const from = node.start_offset_ms;
    const to = node.end_offset_ms;
    rows.push({
      kind: "node",
      level: place.level + node.depth,
      position: top ? place.position : node.pos_in_set,
      setSize: top ? place.setSize : node.set_size,
      descendants: node.descendant_count,
      parent: top ? place.parent : (node.parent_index ?? 0) + offset,
      node,
      startMs: from === null ? null : from + place.shift,
      endMs: to === null ? null : to + place.shift,
    });
  }
}
