/**
 * @module PackCheck: checks an evidence pack offline: the signature over its list, each file by its
 * digest, the number of rows, the tree head of the audit log, and the table, which is worked out
 * again from the facts.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";

import { canonicalJson } from "@turnproof/evidence";
import { compactVerify, createLocalJWKSet } from "jose";
import type { JSONWebKeySet } from "jose";

import { openNote, readVerifierKey } from "../../access/audit/note.ts";
import { isCanonical } from "../../judge/statement-check.ts";
import { packSchema, packType } from "./pack-facts.ts";
import type { Pack, PackLog, PackRow } from "./pack-facts.ts";
import { packTable } from "./pack-table.ts";

/** Names of the signed list and of the keys; packs of earlier versions list no keys. */
export const packNames = { list: "pack.jws", keys: "jwks.json" } as const;

/** Result of a check; `problems` are sentences without values of the evidence. */
export interface PackCheck {
  readonly signature: "valid" | "invalid";
  /** True when the keys came from the pack itself: it then proves no more than that it is whole. */
  readonly own_keys: boolean;
  readonly problems: readonly string[];
  readonly table: readonly PackRow[];
}

/** Checks the pack in a folder, with these keys or its own. */
export async function checkPack(
  folder: string,
  given: JSONWebKeySet | undefined,
): Promise<PackCheck> {
  const keys =
    given ?? (JSON.parse(await readFile(join(folder, packNames.keys), "utf8")) as JSONWebKeySet);
  const jws = await readFile(join(folder, packNames.list), "utf8");
  const pack = await opened(jws.trim(), keys);
  const own_keys = given === undefined;
  if (pack === undefined) return { signature: "invalid", own_keys, problems: [], table: [] };
  const problems = [
    ...(await fileProblems(folder, pack)),
    ...(await rowProblems(folder, pack)),
    ...tableProblems(pack),
    ...headProblems(pack),
  ];
  return { signature: "valid", own_keys, problems, table: pack.table };
}

async function opened(jws: string, keys: JSONWebKeySet): Promise<Pack | undefined> {
  try {
    if (!isCanonical(jws)) return undefined;
    const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(keys), {
      algorithms: ["EdDSA"],
    });
    if (protectedHeader.typ !== packType) return undefined;
    return packSchema.safeParse(JSON.parse(new TextDecoder().decode(payload))).data;
  } catch {
    return undefined;
  }
}

async function fileProblems(folder: string, { files }: Pack): Promise<readonly string[]> {
  const known = new Map(files.map((file) => [file.path, file]));
  const problems: string[] = [];
  const folders = new Set([...known.keys()].flatMap(foldersOf));
  const present = new Set<string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/");
    if (entry.isDirectory() && folders.has(path)) continue;
    if (path === packNames.list || (path === packNames.keys && !known.has(path))) continue;
    present.add(path);
    const file = known.get(path);
    // A folder without a listed file is an addition, as is a link.
    if (file === undefined) problems.push(`${path} is not on the list`);
    else if (!entry.isFile() || (await digestOf(join(folder, path))) !== file.sha256) {
      problems.push(`${path} is not the file that was signed`);
    }
  }
  for (const path of known.keys()) if (!present.has(path)) problems.push(`${path} is missing`);
  return problems;
}

/** The folders above a path. */
function foldersOf(path: string): readonly string[] {
  const names = path.split("/");
  return names.slice(1).map((_name, depth) => names.slice(0, depth + 1).join("/"));
}

/** SHA-256 of a file, in hex. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

async function rowProblems(folder: string, { files, facts }: Pack): Promise<readonly string[]> {
  let rows = 0;
  for (const { path } of files.filter((file) => /^events\/part-\d+\.jsonl$/.test(file.path))) {
    // A missing file is a problem of its own.
    rows += await linesOf(join(folder, path)).catch(() => 0);
  }
  return rows === facts.events.rows ? [] : ["the files of events have another number of rows"];
}

async function linesOf(path: string): Promise<number> {
  let count = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line !== "") count += 1;
  }
  return count;
}

function tableProblems({ facts, table }: Pack): readonly string[] {
  const same = canonicalJson(packTable(facts)) === canonicalJson(table);
  return same ? [] : ["the table does not follow from the facts"];
}

function headProblems({ facts: { audit, retentions } }: Pack): readonly string[] {
  return [
    ...(headHolds(audit) ? [] : ["the tree head's signature does not hold"]),
    ...(headHolds(retentions?.log ?? null)
      ? []
      : ["the signature of the tree head of retention does not hold"]),
  ];
}

/** A log without a head has none that is wrong. */
function headHolds(log: Pick<PackLog, "key" | "tree_head"> | null): boolean {
  if (log === null || log.tree_head === null) return true;
  const key = readVerifierKey(log.key);
  const note = key === undefined ? undefined : openNote(log.tree_head, key.origin, key.publicKey);
  return note?.found === "head";
}
