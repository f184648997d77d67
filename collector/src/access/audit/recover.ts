/**
 * @module Recover: finds the chain head of an existing audit file. A torn last line is moved to a
 * `.torn` file; it never prevents the start and never counts as a record.
 */
import { appendFile, readFile, readdir, truncate } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { Keyring } from "../keyring.ts";
import { genesis, hashOfLine, openRecord } from "./record.ts";

/** Number and hash of the last valid line; `torn` when there was more after it. */
export interface RecoveredChain {
  readonly seq: number;
  readonly head: string;
  readonly torn: boolean;
}

/** Finds the end of the chain over a file and its rotated predecessors. */
export async function recoverChain(file: string, keyring: Keyring): Promise<RecoveredChain> {
  // Without a file the chain begins, or goes on from a rotated file.
  const text = await readFile(file, "utf8").catch(() => "");
  const end = text.lastIndexOf("\n") + 1;
  const tail = text.slice(end);
  const torn = tail !== "";
  if (torn) {
    await appendFile(`${file}.torn`, `${tail}\n`, { mode: 0o600 });
    await truncate(file, Buffer.byteLength(text.slice(0, end)));
  }
  const last = lastLine(text.slice(0, end)) ?? (await lastRotatedLine(file));
  if (last === undefined) return { seq: 0, head: genesis, torn };
  const seq = openRecord(last, keyring)?.seq ?? seqOf(last);
  return { seq, head: hashOfLine(last), torn };
}

/** Rotated files of an audit log, oldest first. */
export async function rotatedFiles(file: string): Promise<readonly string[]> {
  // Without a directory there is no rotated file.
  const names = await readdir(dirname(file)).catch(() => []);
  const prefix = `${basename(file)}.`;
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{12}$/.test(name.slice(prefix.length)))
    .toSorted()
    .map((name) => join(dirname(file), name));
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
