/**
 * @module WaterfallTree: parents, cycles, order and the critical path over plain integer arrays.
 * No recursion: a chain of a million spans is walked with a stack.
 */
/** A forest in pre-order. Only the first `size` elements of each list are used. */
export interface Forest {
  readonly order: Int32Array;
  /** Position of each node in `order`. */
  readonly rowOf: Int32Array;
  readonly depth: Int32Array;
  readonly childCount: Int32Array;
  readonly descendantCount: Int32Array;
  /** Position among siblings, from 1, and how many siblings there are. */
  readonly position: Int32Array;
  readonly setSize: Int32Array;
}

/**
 * Buffers for the trees of one window, one after the other: most are small, and a dozen new lists
 * for each turn cost more than the work on them.
 */
export interface TreeSpace extends Forest {
  /** Parent links of the present tree, -1 for none; the caller fills them. */
  readonly parent: Int32Array;
  readonly inCycle: Uint8Array;
  readonly critical: Uint8Array;
  /** Members of a node's children: `children[childStarts[i]] …`; the roots are the last set. */
  readonly children: Int32Array;
  readonly childStarts: Int32Array;
  readonly scratch: Int32Array;
}

/** Buffers for trees of up to that many nodes. */
export function createTreeSpace(size: number): TreeSpace {
  const list = (length = size): Int32Array => new Int32Array(length);
  return {
    parent: list(),
    order: list(),
    rowOf: list(),
    depth: list(),
    childCount: list(),
    descendantCount: list(),
    position: list(),
    setSize: list(),
    children: list(),
    childStarts: list(size + 2),
    scratch: list(size + 1),
    inCycle: new Uint8Array(size),
    critical: new Uint8Array(size),
  };
}

/**
 * Marks every member of a cycle among the parent links and cuts each cycle at its member with the
 * lowest index, so that equal input is always cut at the same place.
 */
export function cutCycles(space: TreeSpace, size: number): void {
  const { parent, inCycle, scratch: visit } = space;
  inCycle.fill(0, 0, size);
  visit.fill(-1, 0, size);
  for (let from = 0; from < size; from += 1) {
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
}

/** The children of every node, by index; a counting sort. */
function sortChildren(space: TreeSpace, size: number): void {
  const { parent, children, childStarts: starts, scratch: next } = space;
  starts.fill(0, 0, size + 2);
  for (let node = 0; node < size; node += 1) {
    const above = parent[node] as number;
    // The roots are the children of one extra node, the last.
    const after = (above === -1 ? size : above) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let node = 0; node <= size; node += 1) {
    next[node] = starts[node] as number;
    starts[node + 1] = (starts[node + 1] as number) + (starts[node] as number);
  }
  for (let node = 0; node < size; node += 1) {
    const above = parent[node] as number;
    const set = above === -1 ? size : above;
    const at = next[set] as number;
    children[at] = node;
    next[set] = at + 1;
  }
}

/** Lays a forest without cycles out in pre-order; siblings are in order of their indexes. */
export function layOut(space: TreeSpace, size: number): Forest {
  sortChildren(space, size);
  const { children, childStarts: starts, scratch: stack } = space;
  const { order, rowOf, depth, position, setSize, childCount, descendantCount, parent } = space;
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
    rowOf[node] = at;
    childCount[node] = (starts[node + 1] as number) - (starts[node] as number);
    push(node, (depth[node] as number) + 1);
  }
  descendantCount.fill(0, 0, size);
  for (let at = size - 1; at >= 0; at -= 1) {
    const node = order[at] as number;
    const above = parent[node] as number;
    if (above !== -1) {
      descendantCount[above] =
        (descendantCount[above] as number) + (descendantCount[node] as number) + 1;
    }
  }
  return space;
}

/** When a node began and ended, NaN for unknown. */
interface Timed {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * Marks the critical path: from the root that ends last, back through the child that finished last
 * before the point reached, and so on. Nodes without both times are not on it, and a child that
 * outlives its parent did not delay it.
 */
export function criticalPath(space: TreeSpace, nodes: readonly Timed[]): Uint8Array {
  const { critical, children: members, childStarts } = space;
  const size = nodes.length;
  critical.fill(0, 0, size);
  const at = (node: number): Timed => nodes[node] as Timed;
  const timed = (node: number): boolean => at(node).endMs >= at(node).startMs;
  let root = -1;
  for (let place = childStarts[size] as number; place < size; place += 1) {
    const node = members[place] as number;
    if (timed(node) && (root === -1 || at(node).endMs > at(root).endMs)) root = node;
  }
  const stack = root === -1 ? [] : [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    critical[node] = 1;
    const from = childStarts[node] as number;
    const to = childStarts[node + 1] as number;
    if (from === to) continue;
    const children: number[] = [];
    for (let place = from; place < to; place += 1) {
      const child = members[place] as number;
      if (timed(child)) children.push(child);
    }
    children.sort((a, b) => at(b).endMs - at(a).endMs || at(b).startMs - at(a).startMs || a - b);
    let reached = at(node).endMs;
    for (const child of children) {
      if (at(child).endMs > reached || at(child).startMs < at(node).startMs) continue;
      stack.push(child);
      reached = at(child).startMs;
    }
  }
  return critical;
}
