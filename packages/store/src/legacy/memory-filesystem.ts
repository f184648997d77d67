/**
 * @module LegacyFiles: documents of earlier layouts, which are directly in their collection and may
 * lack a user. One without a `user_id`, in itself and in the old `index.json`, is an anonymous row
 * (requirements: Scope hierarchy 3). Readers read them in place; the first write to their
 * collection moves each of them, unchanged, to the folder of its tenant.
 */
import type { ScopedKind } from "@turnproof/semconv";
import { groupBy, memoryCollections } from "@turnproof/semconv";

import { legacyId, legacyRecord } from "./memory-record.ts";
import type { ReadDocument } from "./memory-record.ts";
import type { MemoryRecord } from "../memory-store.ts";
import type { Disk } from "../filesystem/disk.ts";
import { folderOf, parseObject } from "../filesystem/document.ts";
import { indexName } from "../filesystem/folder-index.ts";
import type { RowFolders } from "../filesystem/row-folder.ts";
import { documentName } from "../filesystem/safe-name.ts";
import type { Held } from "../filesystem/write-lock.ts";

/** Rows of earlier layouts. */
export interface LegacyFileRows {
  /** Rows of a collection that are still in an earlier layout. */
  read(kind: ScopedKind): Promise<readonly MemoryRecord[]>;
  /** Moves them into the folders of their tenants; only under the lock. */
  adopt(kind: ScopedKind, held: Held): Promise<void>;
  /** Number of files of a collection that cannot be a row, such as those whose user is no text. */
  refused(kind: ScopedKind): Promise<number>;
}

/** Legacy rows of a disk; a collection without any is not checked again. */
export function legacyRows(disk: Disk, folders: RowFolders): LegacyFileRows {
  const none = new Set<ScopedKind>();
  const found = async (kind: ScopedKind): Promise<LegacyFiles> => {
    if (none.has(kind)) return { rows: new Map(), refused: 0 };
    const all = await readAll(disk, kind);
    if (all.rows.size === 0 && all.refused === 0) none.add(kind);
    return all;
  };
  return {
    read: async (kind) => [...(await found(kind)).rows.values()],
    refused: async (kind) => (await found(kind)).refused,
    async adopt(kind, held) {
      const { rows, refused } = await found(kind);
      if (rows.size === 0) return;
      for (const [folder, own] of groupBy(rows.values(), folderOf)) {
        const there = await folders.read<MemoryRecord>(kind, folder);
        const put = own.filter((row) => !there.has(documentName(row.id)));
        if (put.length > 0) await folders.write<MemoryRecord>(kind, folder, { put }, held);
      }
      const collection = memoryCollections[kind];
      for (const name of rows.keys()) await disk.remove([collection, name]);
      // The tenant of a remaining file may be in the index only.
      if (refused === 0) await disk.remove([collection, indexName]);
      await disk.sync([collection]);
      if (refused === 0) none.add(kind);
    },
  };
}

/** Legacy rows by their files, and the number of files that cannot be a row. */
interface LegacyFiles {
  readonly rows: ReadonlyMap<string, MemoryRecord>;
  readonly refused: number;
}

async function readAll(disk: Disk, kind: ScopedKind): Promise<LegacyFiles> {
  const collection = memoryCollections[kind];
  const rows = new Map<string, MemoryRecord>();
  let refused = 0;
  const names = (await disk.list([collection])).filter(
    (name) => name.endsWith(".json") && name !== indexName,
  );
  if (names.length === 0) return { rows, refused };
  const index = legacyIndex(await disk.read([collection, indexName]));
  const taken = new Set<string>();
  // In a fixed order, so that of two rows with one id always the same one is named after its file.
  for (const name of names.toSorted(byBytes)) {
    if ((await disk.stat([collection, name]))?.kind !== "file") continue;
    const bytes = await disk.read([collection, name]);
    const read = bytes === undefined ? undefined : parseObject(bytes);
    const base = name.slice(0, -5);
    const row = read === undefined ? undefined : rowOf(kind, base, read, index);
    if (row !== undefined) rows.set(name, namedOnce(row, base, taken));
    else if (read !== undefined) refused += 1;
  }
  return { rows, refused };
}

/** An id may occur twice in data of an earlier version; the second is named after its file. */
function namedOnce(row: MemoryRecord, base: string, taken: Set<string>): MemoryRecord {
  const key = JSON.stringify([row.user_id, row.id]);
  if (taken.has(key)) return { ...row, id: `file:${base}` };
  taken.add(key);
  return row;
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function rowOf(
  kind: ScopedKind,
  base: string,
  read: ReadDocument,
  index: (key: string) => ReadDocument | undefined,
): MemoryRecord | undefined {
  const id = legacyId(read["id"]) ?? legacyId(read["_id"]) ?? base;
  return legacyRecord(kind, read, base, index(`${base}.json`) ?? index(id) ?? index(base));
}

/** Entries of an old index by id and by file, whether it was a list or a map. */
export function legacyIndex(bytes: Buffer | undefined): (key: string) => ReadDocument | undefined {
  const entries = new Map<string, ReadDocument>();
  const take = (value: unknown, key?: string): void => {
    if (typeof value !== "object" || value === null) return;
    const entry = value as ReadDocument;
    for (const name of [key, entry["id"], entry["_id"], entry["file"]]) {
      if (typeof name !== "string") continue;
      const other = entries.get(name);
      // Ambiguous where entries of two users have this name.
      const isSame = other === undefined || other["user_id"] === entry["user_id"];
      entries.set(name, isSame ? entry : { ...entry, user_id: false });
    }
  };
  let parsed: unknown;
  try {
    parsed = bytes === undefined ? undefined : JSON.parse(bytes.toString("utf8"));
  } catch {
    // A torn index is ignored; the documents carry their own data.
  }
  const read = typeof parsed === "object" && parsed !== null ? (parsed as ReadDocument) : {};
  for (const list of [parsed, read["rows"], read["entries"], read["items"], read["documents"]]) {
    if (Array.isArray(list)) for (const value of list) take(value);
    else if (typeof list === "object" && list !== null) {
      for (const [key, value] of Object.entries(list)) take(value, key);
    }
  }
  return (key) => entries.get(key);
}
