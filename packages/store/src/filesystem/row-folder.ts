/**
 * @module RowFolder: the rows of one tenant in one collection on the disk. Readers take no lock:
 * they use the index while it is clean, and the documents while it is not. Writers hold the lock;
 * a write takes effect when its document is renamed into place.
 */
import { randomBytes } from "node:crypto";

import type { ScopedKind, SharedKind } from "@turnproof/semconv";
import { memoryCollections } from "@turnproof/semconv";

import type { Disk, DiskPlace } from "./disk.ts";
import { isTemporary } from "./disk.ts";
import { decodeDocument, encodeDocument, hashOf } from "./document.ts";
import type { DocumentRow } from "./document.ts";
import {
  decodeIndex,
  dirtyName,
  encodeIndex,
  entryOf,
  headBytes,
  indexName,
} from "./folder-index.ts";
import { documentName, isDocumentName } from "./safe-name.ts";
import type { Held } from "./write-lock.ts";

/** A row and the hash of its document. */
export interface HeldRow<R extends DocumentRow> {
  readonly row: R;
  readonly hash: string;
}

/** Rows by document name. */
export type Rows<R extends DocumentRow> = ReadonlyMap<string, HeldRow<R>>;

/** Change of a folder: rows to store under their ids, documents to remove. */
export interface FolderChange<R extends DocumentRow> {
  readonly put?: readonly R[];
  readonly remove?: readonly string[];
}

/** Folders of rows, cached while their index does not change. */
export interface RowFolders {
  read<R extends DocumentRow>(kind: R["kind"], folder: string): Promise<Rows<R>>;
  /** Applies a change, durably; only under the lock. */
  write<R extends DocumentRow>(
    kind: R["kind"],
    folder: string,
    change: FolderChange<R>,
    held: Held,
  ): Promise<void>;
  /**
   * Removes a folder without rows, because its name is made from an id. Where other files remain
   * in it, its index names no deleted row. Only under the lock.
   */
  prune(kind: DocumentRow["kind"], folder: string, held: Held): Promise<void>;
}

/** Files that are not documents. */
const auxiliary: ReadonlySet<string> = new Set([indexName, dirtyName]);

interface Remembered {
  readonly head: string;
  readonly rows: Rows<DocumentRow>;
}

/** Most cached rows over all folders. */
const rememberedRowsMax = 100_000;

/** Place of a folder of rows. */
function placeOf(kind: ScopedKind | SharedKind, folder: string): DiskPlace {
  return [memoryCollections[kind], folder];
}

/** The folders of a disk. */
export function rowFolders(disk: Disk): RowFolders {
  const remembered = new Map<string, Remembered>();
  const forgetOldest = (): void => {
    let rows = 0;
    for (const one of remembered.values()) rows += one.rows.size;
    for (const [key, one] of remembered) {
      if (rows <= rememberedRowsMax) return;
      remembered.delete(key);
      rows -= one.rows.size;
    }
  };
  const remember = (key: string, one: Remembered): void => {
    remembered.delete(key);
    remembered.set(key, one);
    forgetOldest();
  };
  return {
    async read<R extends DocumentRow>(kind: R["kind"], folder: string): Promise<Rows<R>> {
      const place = placeOf(kind, folder);
      const key = place.join("/");
      const known = remembered.get(key);
      const loaded = await load(disk, kind, folder, known);
      if (loaded.head === undefined) remembered.delete(key);
      else if (loaded.head !== known?.head) remember(key, loaded);
      // Documents of this folder were validated as rows of this kind.
      return loaded.rows as Rows<R>;
    },
    async write<R extends DocumentRow>(
      kind: R["kind"],
      folder: string,
      change: FolderChange<R>,
      held: Held,
    ): Promise<void> {
      const place = placeOf(kind, folder);
      await disk.ensure(place);
      const before = await this.read<R>(kind, folder);
      const head = await apply(disk, place, before, change, held);
      remember(place.join("/"), head);
    },
    async prune(kind, folder, held) {
      const place = placeOf(kind, folder);
      // A dead writer leaves unfinished files, and an index that names deleted rows.
      await sweep(disk, place);
      const names = await disk.list(place);
      if (names.some((name) => !auxiliary.has(name))) {
        if (names.includes(dirtyName)) await this.write(kind, folder, {}, held);
        return;
      }
      remembered.delete(place.join("/"));
      // The mark is removed last: while it exists, an index without rows is not used.
      for (const name of auxiliary) await disk.remove([...place, name]);
      await disk.prune(place);
    },
  };
}

type Loaded = Remembered | { readonly head: undefined; readonly rows: Rows<DocumentRow> };

async function load(
  disk: Disk,
  kind: DocumentRow["kind"],
  folder: string,
  known: Remembered | undefined,
): Promise<Loaded> {
  const place = placeOf(kind, folder);
  if ((await disk.stat([...place, dirtyName])) !== undefined) return scan(disk, kind, folder);
  const start = await disk.read([...place, indexName], { at: 0, length: headBytes });
  if (start !== undefined && known?.head === start.toString("latin1")) return known;
  const bytes = start === undefined ? undefined : await disk.read([...place, indexName]);
  const entries = bytes === undefined ? undefined : decodeIndex(bytes);
  if (bytes === undefined || entries === undefined) return scan(disk, kind, folder);
  const rows = new Map<string, HeldRow<DocumentRow>>();
  for (const { file, hash } of entries) {
    const same = known?.rows.get(file);
    const one = same?.hash === hash ? same : await readRow(disk, kind, folder, file);
    if (one !== undefined) rows.set(file, one);
  }
  return { head: bytes.subarray(0, headBytes).toString("latin1"), rows };
}

/** Every valid document, with or without a row in the index. */
async function scan(disk: Disk, kind: DocumentRow["kind"], folder: string): Promise<Loaded> {
  const rows = new Map<string, HeldRow<DocumentRow>>();
  for (const name of await disk.list(placeOf(kind, folder))) {
    const one = await readRow(disk, kind, folder, name);
    if (one !== undefined) rows.set(name, one);
  }
  return { head: undefined, rows };
}

/** One document; undefined when it is deleted, damaged or misplaced. */
async function readRow(
  disk: Disk,
  kind: DocumentRow["kind"],
  folder: string,
  name: string,
): Promise<HeldRow<DocumentRow> | undefined> {
  if (!isDocumentName(name)) return undefined;
  const bytes = await disk.read([...placeOf(kind, folder), name]);
  const row = bytes === undefined ? undefined : decodeDocument(bytes, { kind, folder, name });
  return bytes === undefined || row === undefined ? undefined : { row, hash: hashOf(bytes) };
}

/**
 * Marks the index, writes documents, writes the index, removes the mark. The mark is in the same
 * folder as the documents and written before them, so after a crash either it exists or nothing
 * was changed.
 */
async function apply<R extends DocumentRow>(
  disk: Disk,
  place: DiskPlace,
  before: Rows<R>,
  change: FolderChange<R>,
  held: Held,
): Promise<Remembered> {
  const mark = [...place, dirtyName];
  const left = await disk.mark(mark);
  // An existing mark is a dead writer's: its unfinished files are removed too.
  if (!left) await sweep(disk, place);
  await held.confirm();
  const rows = new Map<string, HeldRow<DocumentRow>>(before);
  for (const row of change.put ?? []) {
    const name = documentName(row.id);
    const { bytes, hash } = encodeDocument(row);
    await disk.replace([...place, name], bytes);
    rows.set(name, { row, hash });
  }
  for (const name of change.remove ?? []) {
    await disk.remove([...place, name]);
    rows.delete(name);
  }
  const generation = randomBytes(8).toString("hex");
  const entries = [...rows].map(([file, { row, hash }]) => entryOf(file, hash, row));
  const index = encodeIndex(generation, entries);
  await disk.replace([...place, indexName], index);
  await disk.sync(place);
  await disk.remove(mark);
  return { head: index.subarray(0, headBytes).toString("latin1"), rows };
}

async function sweep(disk: Disk, place: DiskPlace): Promise<void> {
  for (const name of await disk.list(place)) {
    if (isTemporary(name)) await disk.remove([...place, name]);
  }
}
