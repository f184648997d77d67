/**
 * @module Proof: proofs of inclusion and consistency over the audit log's tree, made by walks over
 * its files in bounded memory (RFC 6962, 2.1).
 */
import { logLines } from "./lines.ts";
import { hashOfStatement } from "./logged-statement.ts";
import { consistencyRanges, createTree, hashLeaf, inclusionRanges, rangeRoots } from "./merkle.ts";
import { leafOf } from "./record.ts";

/** That a record is in the tree; hashes in base64. */
export interface InclusionProof {
  readonly record: number;
  /** Place of the leaf, from 0. */
  readonly index: number;
  readonly size: number;
  readonly root: string;
  /** Data of the leaf. */
  readonly leaf: string;
  readonly leaf_hash: string;
  readonly hashes: readonly string[];
}

/** That the tree of `to` leaves continues the one of `from`; hashes in base64. */
export interface ConsistencyProof {
  readonly from: number;
  readonly to: number;
  readonly root_from: string;
  readonly root_to: string;
  readonly hashes: readonly string[];
}

/** Proves a record by its number, or a signed statement by its text; undefined: not there. */
export async function proveInclusion(
  file: string,
  of: number | string,
  until?: number,
): Promise<InclusionProof | undefined> {
  const hash = typeof of === "number" ? undefined : hashOfStatement(of);
  const tree = createTree();
  let found: { readonly index: number; readonly leaf: Buffer } | undefined;
  for await (const batch of linesUpTo(file, until)) {
    for (const line of batch) {
      const isIt =
        hash === undefined ? tree.size + 1 === of : line.includes(`"statement":"${hash}"`);
      const leaf = leafOf(line);
      if (isIt) found ??= { index: tree.size, leaf };
      tree.append(hashLeaf(leaf));
    }
  }
  const { size } = tree;
  if (found === undefined || (until !== undefined && size < until)) return undefined;
  const { index, leaf } = found;
  const roots = await rangeRoots(leavesOf(file, size), inclusionRanges(index, size));
  return {
    record: index + 1,
    index,
    size,
    root: tree.root().toString("base64"),
    leaf: leaf.toString("base64"),
    leaf_hash: hashLeaf(leaf).toString("base64"),
    hashes: roots.map((root) => root.toString("base64")),
  };
}

/** Proves that the log continues an earlier state; undefined: it is shorter. */
export async function proveConsistency(
  file: string,
  from: number,
  until?: number,
): Promise<ConsistencyProof | undefined> {
  const tree = createTree();
  let before: Buffer | undefined;
  for await (const leaves of leavesOf(file, until)) {
    for (const leaf of leaves) {
      tree.append(leaf);
      if (tree.size === from) before = tree.root();
    }
  }
  const { size } = tree;
  if (before === undefined || (until !== undefined && size < until)) return undefined;
  const roots = await rangeRoots(leavesOf(file, size), consistencyRanges(from, size));
  return {
    from,
    to: size,
    root_from: before.toString("base64"),
    root_to: tree.root().toString("base64"),
    hashes: roots.map((root) => root.toString("base64")),
  };
}

async function* leavesOf(file: string, until?: number): AsyncGenerator<readonly Buffer[]> {
  for await (const lines of linesUpTo(file, until)) {
    yield lines.map((line) => hashLeaf(leafOf(line)));
  }
}

/** Whole lines: the last one may be in the middle of being written. */
async function* linesUpTo(
  file: string,
  until = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly string[]> {
  let seen = 0;
  for await (const { lines, torn } of logLines(file)) {
    if (torn) continue;
    if (seen >= until) return;
    const taken = lines.slice(0, until - seen);
    seen += taken.length;
    yield taken;
  }
}
