/**
 * @module Merkle: the tree of RFC 6962 over a log's leaves, in memory that grows with the logarithm
 * of their number, and proofs of inclusion and consistency made in one walk over the leaves.
 */
import { createHash } from "node:crypto";

/** SHA-256 of a leaf's data, with the prefix of a leaf. */
export function hashLeaf(data: Uint8Array): Buffer {
  return createHash("sha256").update(leafPrefix).update(data).digest();
}

/** A complete subtree: its height, and the hash of its root. */
interface Subtree {
  readonly height: number;
  readonly hash: Buffer;
}

/** A tree's state: its size, and the roots of its complete subtrees, largest first, in base64. */
export interface MerkleState {
  readonly size: number;
  readonly hashes: readonly string[];
}

/** The tree of the leaves that were appended. */
export interface Tree {
  readonly size: number;
  append(leafHash: Buffer): void;
  root(): Buffer;
  state(): MerkleState;
}

/** A tree; continues a state, if there is one. */
export function createTree(state?: MerkleState): Tree {
  const stack: Subtree[] = state === undefined ? [] : subtreesOf(state);
  let size = state?.size ?? 0;
  return {
    get size() {
      return size;
    },
    append(hash) {
      size += 1;
      let top: Subtree = { height: 0, hash };
      for (let left = stack.at(-1); left?.height === top.height; left = stack.at(-1)) {
        stack.pop();
        top = { height: top.height + 1, hash: hashNode(left.hash, top.hash) };
      }
      stack.push(top);
    },
    root() {
      const [last, ...rest] = stack.toReversed();
      if (last === undefined) return createHash("sha256").digest();
      return rest.reduce((right, { hash }) => hashNode(hash, right), last.hash);
    },
    state: () => ({ size, hashes: stack.map(({ hash }) => hash.toString("base64")) }),
  };
}

/** True when a value is a state that a tree can continue. */
export function isTreeState(value: unknown): value is MerkleState {
  const { size, hashes } = (value ?? {}) as Partial<MerkleState>;
  if (!Number.isSafeInteger(size) || size === undefined || size < 0) return false;
  if (!Array.isArray(hashes) || hashes.length !== heightsOf(size).length) return false;
  return hashes.every(
    (hash) => typeof hash === "string" && Buffer.from(hash, "base64").length === 32,
  );
}

function subtreesOf({ size, hashes }: MerkleState): Subtree[] {
  return heightsOf(size).map((height, index) => ({
    height,
    hash: Buffer.from(hashes[index] ?? "", "base64"),
  }));
}

/** Heights of the complete subtrees of a tree: the ones of its size in binary. */
function heightsOf(size: number): readonly number[] {
  const bits = size === 0 ? "" : size.toString(2);
  return Array.from(bits, (bit, index) => (bit === "1" ? bits.length - 1 - index : -1)).filter(
    (height) => height >= 0,
  );
}

/** Leaves `[from, to)`, whose subtree's root is a part of a proof. */
type LeafRange = readonly [from: number, to: number];

/** The subtrees of the proof that leaf `index` is in the tree of `size` leaves, in order. */
export function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError("no such leaf");
  return pathOf(index, [0, size]);
}

/** The subtrees of the proof that the tree of `older` leaves is a prefix of that of `newer`. */
export function consistencyRanges(older: number, newer: number): readonly LeafRange[] {
  if (!(older >= 0 && older <= newer)) throw new RangeError("no such tree");
  if (older === 0 || older === newer) return [];
  const ranges: LeafRange[] = [];
  let [from, to]: LeafRange = [0, newer];
  let isWhole = true;
  while (to !== older) {
    const middle = from + splitOf(to - from);
    if (older <= middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
      isWhole = false;
    }
  }
  if (!isWhole) ranges.push([from, to]);
  return ranges.toReversed();
}

function pathOf(index: number, whole: LeafRange): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  let [from, to] = whole;
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
    }
  }
  return ranges.toReversed();
}

/** Roots of the subtrees over these ranges, from one walk over the leaf hashes. */
export async function rangeRoots(
  leaves: AsyncIterable<readonly Buffer[]>,
  ranges: readonly LeafRange[],
): Promise<readonly Buffer[]> {
  const trees = ranges.map(() => createTree());
  let index = 0;
  for await (const batch of leaves) {
    for (const leaf of batch) {
      for (const [place, [from, to]] of ranges.entries()) {
        if (index >= from && index < to) trees[place]?.append(leaf);
      }
      index += 1;
    }
  }
  const missing = ranges.some(([, to]) => to > index);
  if (missing) throw new RangeError("the log is shorter than the proof");
  return trees.map((tree) => tree.root());
}

/** Largest power of two below a size. */
function splitOf(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1));
}

const leafPrefix = Buffer.from([0]);
const nodePrefix = Buffer.from([1]);

function hashNode(left: Buffer, right: Buffer): Buffer {
  return createHash("sha256").update(nodePrefix).update(left).update(right).digest();
}
