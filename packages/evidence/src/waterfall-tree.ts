/**
 * @module WaterfallTree: parents, cycles, order and the critical path over plain integer arrays.
 * Nothing here recurses: a chain of 10,000 spans, or of a million, is walked with a stack.
 */
import { partition } from "./identity-tuple.ts";

/** A forest in pre-order. Indexes are those of the parent array that came in. */
export interface Forest {
  readonly order: Int32Array;
  readonly depth: Int32Array;
  readonly childCount: Int32Array;
  readonly descendantCount: Int32Array;
  /** Position among siblings, from 1, and how many siblings there are. */
  readonly position: Int32Array;
  readonly setSize: Int32Array;
  /** Members of a node's children: `children[childStarts[i]] …`; the roots are the last set. */
  readonly children: Int32Array;
  readonly childStarts: Int32Array;
}

/**
 * Marks every member of a cycle among `parent` links (-1 is none) and cuts each cycle at its member
 * with the lowest index, so that the same input is always cut at the same place.
 */
export function cutCycles(parent: Int32Array): Uint8Array {
  const inCycle = new Uint8Array(parent.length);
  const visit = new Int32Array(parent.length).fill(-1);
  for (let from = 0; from < parent.length; from += 1) {
    let at = from;
    while (at !== -1 && visit[at] === -1) {
      visit[at] = from;
      at = parent[at] as number;
    }
    if (at === -1 || visit[at] !== from) continue;
    let lowest = at;
    let member = at;
    do {
      inCycle[member] = 1;
      if (member < lowest) lowest = member;
      member = parent[member] as number;
    } while (member !== at);
    parent[lowest] = -1;
  }
  return inCycle;
}

/** Lays a forest without cycles out in pre-order; siblings keep the order of their indexes. */
export function layOut(parent: Int32Array): Forest {
  const size = parent.length;
  // The roots are the children of one node more, the last.
  const sets = new Int32Array(size);
  for (let node = 0; node < size; node += 1) {
    const above = parent[node] as number;
    sets[node] = above === -1 ? size : above;
  }
  const { starts, order: children } = partition(sets, size + 1);
  const order = new Int32Array(size);
  const depth = new Int32Array(size);
  const position = new Int32Array(size);
  const setSize = new Int32Array(size);
  const childCount = new Int32Array(size);
  const stack = new Int32Array(size);
  let top = 0;
  const push = (node: number, below: number): void => {
    const from = starts[node] as number;
    const to = starts[node + 1] as number;
    for (let at = to - 1; at >= from; at -= 1) {
      const child = children[at] as number;
      depth[child] = below;
      position[child] = at - from + 1;
      setSize[child] = to - from;
      stack[top] = child;
      top += 1;
    }
  };
  push(size, 0);
  for (let at = 0; top > 0; at += 1) {
    top -= 1;
    const node = stack[top] as number;
    order[at] = node;
    childCount[node] = (starts[node + 1] as number) - (starts[node] as number);
    push(node, (depth[node] as number) + 1);
  }
  const descendantCount = new Int32Array(size);
  for (let at = size - 1; at >= 0; at -= 1) {
    const node = order[at] as number;
    const above = parent[node] as number;
    if (above !== -1) {
      descendantCount[above] =
        (descendantCount[above] as number) + (descendantCount[node] as number) + 1;
    }
  }
  return {
    order,
    depth,
    childCount,
    descendantCount,
    position,
    setSize,
    children,
    childStarts: starts,
  };
}

/**
 * Marks the critical path: from the root that ends last, back through the child that finished last
 * before the point reached, and so on. Nodes without both times are not on it, and what outlives
 * its parent did not hold the parent up.
 */
export function criticalPath(
  forest: Forest,
  startMs: (node: number) => number,
  endMs: (node: number) => number,
): Uint8Array {
  const size = forest.order.length;
  const critical = new Uint8Array(size);
  const timed = (node: number): boolean => endMs(node) >= startMs(node);
  let root = -1;
  for (let at = forest.childStarts[size] as number; at < size; at += 1) {
    const node = forest.children[at] as number;
    if (timed(node) && (root === -1 || endMs(node) > endMs(root))) root = node;
  }
  const stack = root === -1 ? [] : [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    critical[node] = 1;
    const from = forest.childStarts[node] as number;
    const to = forest.childStarts[node + 1] as number;
    if (from === to) continue;
    const children: number[] = [];
    for (let at = from; at < to; at += 1) {
      const child = forest.children[at] as number;
      if (timed(child)) children.push(child);
    }
    children.sort((a, b) => endMs(b) - endMs(a) || startMs(b) - startMs(a) || a - b);
    let reached = endMs(node);
    for (const child of children) {
      if (endMs(child) > reached || startMs(child) < startMs(node)) continue;
      stack.push(child);
      reached = startMs(child);
    }
  }
  return critical;
}
