/**
 * @module FolderIndex: the `index.json` of one tenant's folder in one collection: its documents
 * with their tenant and content hash. It is derived: documents take precedence, and a torn,
 * foreign or missing index is rebuilt from them (faults T9).
 */
import { createHash } from "node:crypto";

import type { Identity } from "@turnproof/semconv";

import { parseObject } from "./document.ts";
import type { DocumentRow } from "./document.ts";

/** Name of an index. */
export const indexName = "index.json";
/** Exists while documents may be newer than the index. */
export const dirtyName = "index.dirty";
/** Bytes at the start of an index that distinguish two indexes. */
export const headBytes = 120;

const format = 1;

/** Entry of one document in an index. `user_id` is the tenant, absent for shared kinds. */
export interface IndexEntry extends Partial<
  Pick<Identity, "user_id" | "agent_id" | "memory_id" | "thread_id">
> {
  readonly file: string;
  readonly hash: string;
  readonly id: string;
  readonly created_at: string;
  readonly expires_at?: string;
  readonly version: number;
}

/** The entry of a row. */
export function entryOf(file: string, hash: string, row: DocumentRow): IndexEntry {
  const scoped = "user_id" in row ? row : undefined;
  return {
    file,
    hash,
    id: row.id,
    ...(scoped === undefined ? {} : { user_id: scoped.user_id }),
    ...(scoped?.agent_id === undefined ? {} : { agent_id: scoped.agent_id }),
    ...(scoped?.memory_id === undefined ? {} : { memory_id: scoped.memory_id }),
    ...(scoped?.thread_id === undefined ? {} : { thread_id: scoped.thread_id }),
    created_at: row.created_at,
    ...(scoped?.expires_at === undefined ? {} : { expires_at: scoped.expires_at }),
    version: row.version,
  };
}

/** The bytes of an index; `generation` makes two indexes with equal content differ. */
export function encodeIndex(generation: string, entries: readonly IndexEntry[]): Buffer {
  const rows = JSON.stringify(entries);
  const checksum = checksumOf(generation, rows);
  return Buffer.from(
    `{"format":${format},"checksum":"${checksum}","generation":"${generation}","rows":${rows}}\n`,
  );
}

/** The entries of an index; undefined when it is torn, damaged or foreign. */
export function decodeIndex(bytes: Uint8Array): readonly IndexEntry[] | undefined {
  const parsed = parseObject(bytes);
  if (parsed === undefined || parsed["format"] !== format) return undefined;
  const { generation, checksum, rows } = parsed;
  if (typeof generation !== "string" || !Array.isArray(rows)) return undefined;
  if (checksumOf(generation, JSON.stringify(rows)) !== checksum) return undefined;
  return rows as IndexEntry[];
}

function checksumOf(generation: string, rows: string): string {
  return createHash("sha256").update(`${generation}\n${rows}`).digest("hex").slice(0, 32);
}
