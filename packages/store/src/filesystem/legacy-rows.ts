/**
 * @module LegacyRows: documents of earlier layouts, which lie straight in their collection and may
 * know no user. One without a `user_id`, in itself and in the old `index.json`, is an anonymous row
 * (requirements: Scope hierarchy 3). Readers see them where they lie; the first write to their
 * collection moves them, each whole, into the folder of their tenant.
 */
import type { ScopedKind } from "@turnproof/semconv";
import { memoryCollections } from "@turnproof/semconv";

import type { Json, MemoryRecord } from "../memory-store.ts";
import { recordOf } from "../memory/record-rules.ts";
import type { Disk } from "./disk.ts";
import { folderOf, parseObject } from "./document.ts";
import { indexName } from "./folder-index.ts";
import type { RowFolders } from "./row-folder.ts";
import { documentName } from "./safe-name.ts";
import type { Held } from "./write-lock.ts";

/** Rows of earlier layouts. */
export interface LegacyRows {
  /** Rows of a collection that still lie where an earlier version left them. */
  read(kind: ScopedKind): Promise<readonly MemoryRecord[]>;
  /** Moves them into the folders of their tenants; only under the lock. */
  adopt(kind: ScopedKind, held: Held): Promise<void>;
}

/** A time that was never said. */
const unknownTime = "1970-01-01T00:00:00.000Z";

const ownFields: ReadonlySet<string> = new Set(
  (
    "id _id kind user_id agent_id memory_id thread_id text content embedding data " +
    "created_at timestamp updated_at expires_at version"
  ).split(" "),
);

/** Legacy rows of a disk; a collection that was found without any is not looked at again. */
export function legacyRows(disk: Disk, folders: RowFolders): LegacyRows {
  const none = new Set<ScopedKind>();
  const found = async (kind: ScopedKind): Promise<ReadonlyMap<string, MemoryRecord>> => {
    if (none.has(kind)) return new Map();
    const rows = await readAll(disk, kind);
    if (rows.size === 0) none.add(kind);
    return rows;
  };
  return {
    read: async (kind) => [...(await found(kind)).values()],
    async adopt(kind, held) {
      const rows = await found(kind);
      if (rows.size === 0) return;
      for (const [folder, own] of Map.groupBy(rows.values(), folderOf)) {
        const there = await folders.read<MemoryRecord>(kind, folder);
        const put = own.filter((row) => !there.has(documentName(row.id)));
        if (put.length > 0) await folders.write<MemoryRecord>(kind, folder, { put }, held);
      }
      const collection = memoryCollections[kind];
      for (const name of rows.keys()) await disk.remove([collection, name]);
      await disk.remove([collection, indexName]);
      await disk.sync([collection]);
      none.add(kind);
    },
  };
}

async function readAll(disk: Disk, kind: ScopedKind): Promise<Map<string, MemoryRecord>> {
  const collection = memoryCollections[kind];
  const rows = new Map<string, MemoryRecord>();
  const names = (await disk.list([collection])).filter(
    (name) => name.endsWith(".json") && name !== indexName,
  );
  if (names.length === 0) return rows;
  const index = legacyIndex(await disk.read([collection, indexName]));
  for (const name of names) {
    if ((await disk.stat([collection, name]))?.kind !== "file") continue;
    const bytes = await disk.read([collection, name]);
    const said = bytes === undefined ? undefined : parseObject(bytes);
    const row = said === undefined ? undefined : rowOf(kind, name.slice(0, -5), said, index);
    if (row !== undefined) rows.set(name, row);
  }
  return rows;
}

type Said = Readonly<Record<string, unknown>>;

/** Entries of an old index by id and by file, whether it was a list or a map. */
export function legacyIndex(bytes: Buffer | undefined): (key: string) => Said | undefined {
  const entries = new Map<string, Said>();
  const take = (value: unknown, key?: string): void => {
    if (typeof value !== "object" || value === null) return;
    const entry = value as Said;
    for (const name of [key, entry["id"], entry["_id"], entry["file"]]) {
      if (typeof name === "string") entries.set(name, entry);
    }
  };
  let parsed: unknown;
  try {
    parsed = bytes === undefined ? undefined : JSON.parse(bytes.toString("utf8"));
  } catch {
    // A torn index says nothing; the documents speak for themselves.
  }
  const said = typeof parsed === "object" && parsed !== null ? (parsed as Said) : {};
  for (const list of [parsed, said["rows"], said["entries"], said["items"], said["documents"]]) {
    if (Array.isArray(list)) for (const value of list) take(value);
    else if (typeof list === "object" && list !== null) {
      for (const [key, value] of Object.entries(list)) take(value, key);
    }
  }
  return (key) => entries.get(key);
}

function rowOf(
  kind: ScopedKind,
  base: string,
  said: Said,
  index: (key: string) => Said | undefined,
): MemoryRecord | undefined {
  const id = text(said["id"]) ?? text(said["_id"]) ?? base;
  const indexed = index(id) ?? index(base) ?? index(`${base}.json`) ?? {};
  const level = (name: string): string | undefined => text(said[name]) ?? text(indexed[name]);
  const optional = (name: string, value: unknown): object =>
    value === undefined ? {} : { [name]: value };
  const draft = {
    id,
    ...optional("agent_id", level("agent_id")),
    ...optional("memory_id", level("memory_id")),
    ...optional("thread_id", level("thread_id")),
    ...optional("text", text(said["text"]) ?? text(said["content"])),
    ...optional("embedding", numbers(said["embedding"])),
    data: dataOf(said),
    created_at: time(said["created_at"]) ?? time(said["timestamp"]) ?? unknownTime,
    ...optional("expires_at", time(said["expires_at"])),
  };
  const written = { now: time(said["updated_at"]) ?? draft.created_at, version: 1 };
  try {
    return recordOf({ tenant: level("user_id") ?? null }, kind, draft, written);
  } catch {
    // What can be no row of ours stays where it lies and is shown to nobody.
    return undefined;
  }
}

function dataOf(said: Said): { readonly [key: string]: Json } {
  const { data } = said;
  if (typeof data === "object" && data !== null && !Array.isArray(data)) {
    return data as { readonly [key: string]: Json };
  }
  const rest = Object.entries(said).filter(([name]) => !ownFields.has(name));
  return Object.fromEntries(rest) as { readonly [key: string]: Json };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numbers(value: unknown): readonly number[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "number")
    ? value
    : undefined;
}

function time(value: unknown): string | undefined {
  const ms = typeof value === "string" || typeof value === "number" ? new Date(value) : undefined;
  return ms === undefined || Number.isNaN(ms.getTime()) ? undefined : ms.toISOString();
}
