/**
 * @module Recover: finds the chain head and the tree of an existing audit file. A torn last line
 * is moved to a `.torn` file; it never prevents the start and never counts as a record.
 */
import { renameSync, writeFileSync } from "node:fs";
import { appendFile, readFile, truncate } from "node:fs/promises";
import { basename } from "node:path";

import { ifThere } from "../../config/data-files.ts";
import type { Keyring } from "../keyring.ts";
import { linesOf, rotatedFiles } from "./lines.ts";
import { createTree, hashLeaf, isTreeState } from "./merkle.ts";
import type { Tree, MerkleState } from "./merkle.ts";
import { genesis, hashOfLine, leafOf, openRecord } from "./record.ts";

/** Number and hash of the last valid line; `torn` when there was more after it. */
export interface RecoveredChain {
  readonly seq: number;
  readonly head: string;
  readonly torn: boolean;
  /** The tree over all lines. */
  readonly tree: Tree;
  /** Size of the kept tree; 0 without one. */
  readonly keptSize: number;
}

/**
 * Finds the end of the chain over a file and its rotated predecessors.
 *
 * @throws CodedError file_unreadable: a chain that began anew would not be that of the log
 */
export async function recoverChain(file: string, keyring: Keyring): Promise<RecoveredChain> {
  // Without a file the chain begins, or goes on from a rotated file.
  const text = (await ifThere(readFile(file, "utf8"), basename(file))) ?? "";
  const end = text.lastIndexOf("\n") + 1;
  const tail = text.slice(end);
  const torn = tail !== "";
  if (torn) {
    await appendFile(`${file}.torn`, `${tail}\n`, { mode: 0o600 });
    await truncate(file, Buffer.byteLength(text.slice(0, end)));
  }
  const last = lastLine(text.slice(0, end)) ?? (await lastRotatedLine(file));
  const kept = await keptTree(file);
  const keptSize = kept?.size ?? 0;
  if (last === undefined) return { seq: 0, head: genesis, torn, tree: createTree(), keptSize };
  const seq = openRecord(last, keyring)?.seq ?? seqOf(last);
  return { seq, head: hashOfLine(last), torn, tree: await recoverTree(file, seq, kept), keptSize };
}

/**
 * Keeps a tree's state beside the log, so that a start does not read the whole log. Where the disk
 * refuses it the next start reads more.
 */
export function keepTree(file: string, state: MerkleState): void {
  try {
    writeFileSync(`${file}.tree.next`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.tree.next`, `${file}.tree`);
  } catch {
    // An earlier state fits as well.
  }
}

/** The tree of all lines; a kept state that does not fit is ignored. */
async function recoverTree(
  file: string,
  seq: number,
  kept: MerkleState | undefined,
): Promise<Tree> {
  const tree = createTree(kept !== undefined && kept.size <= seq ? kept : undefined);
  const { size } = tree;
  let index = 0;
  for (const path of [...(await rotatedFiles(file)), file]) {
    const lastIn = Number(/\.(\d{12})$/.exec(path)?.[1] ?? Number.POSITIVE_INFINITY);
    if (lastIn <= size) {
      index = lastIn;
      continue;
    }
    for await (const { lines } of linesOf(path)) {
      for (const line of lines) if ((index += 1) > size) tree.append(hashLeaf(leafOf(line)));
    }
  }
  return tree;
}

/** The kept state; undefined without a valid one. */
export async function keptTree(file: string): Promise<MerkleState | undefined> {
  try {
    const state: unknown = JSON.parse(await readFile(`${file}.tree`, "utf8"));
    return isTreeState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

async function lastRotatedLine(file: string): Promise<string | undefined> {
  const last = (await rotatedFiles(file)).at(-1);
  return last === undefined ? undefined : lastLine(await readFile(last, "utf8"));
}

function lastLine(text: string): string | undefined {
  return text.trimEnd().split("\n").at(-1) || undefined;
}

/** A line under a removed key still has its number; `verify` reports that it cannot be checked. */
function seqOf(line: string): number {
  return Number(/"seq":(\d{1,15})/.exec(line)?.[1] ?? 0);
}
