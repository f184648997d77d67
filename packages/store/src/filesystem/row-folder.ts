/**
 * @module RowFolder: the rows of one tenant in one collection, as they lie on the disk. Readers
 * take no lock: they trust the index while it is clean, and the documents while it is not. Writers
 * hold the lock; a document that was renamed into place is the moment at which a write has
 * happened.
 */
import { randomBytes } from "node:crypto";

import type { ScopedKind, SharedKind } from "@turnproof/semconv";
import { memoryCollections } from "@turnproof/semconv";

import type { Disk, Place } from "./disk.ts";
import { isTemporary } from "./disk.ts";
import { decodeDocument, encodeDocument, hashOf } from "./document.ts";
import type { Row } from "./document.ts";
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
export interface HeldRow<R extends Row> {
  readonly row: R;
  readonly hash: string;
}

/** Rows by document name. */
export type Rows<R extends Row> = ReadonlyMap<string, HeldRow<R>>;

/** What a write does to a folder: rows to keep under their ids, documents to remove. */
export interface Change<R extends Row> {
  readonly put?: readonly R[];
  readonly remove?: readonly string[];
}

/** Folders of rows, remembered while their index stands still. */
export interface RowFolders {
  read<R extends Row>(kind: R["kind"], folder: string): Promise<Rows<R>>;
  /** Applies a change, durably; only under the lock. */
  write<R extends Row>(
    kind: R["kind"],
    folder: string,
    change: Change<R>,
    held: Held,
  ): Promise<void>;
  /**
   * Takes away a folder without rows: its name is made of an id. Where something else stays in it,
   * its index names no row that is gone. Only under the lock.
   */
  prune(kind: Row["kind"], folder: string, held: Held): Promise<void>;
}

/** What is there besides documents. */
const auxiliary: ReadonlySet<string> = new Set([indexName, dirtyName]);

interface Remembered {
  readonly head: string;
  readonly rows: Rows<Row>;
}

/** Rows that are remembered over all folders. */
const rememberedRowsMax = 100_000;

/** Place of a folder of rows. */
function placeOf(kind: ScopedKind | SharedKind, folder: string): Place {
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
    async read<R extends Row>(kind: R["kind"], folder: string): Promise<Rows<R>> {
      const place = placeOf(kind, folder);
      const key = place.join("/");
      const known = remembered.get(key);
      const loaded = await load(disk, kind, folder, known);
      if (loaded.head === undefined) remembered.delete(key);
      else if (loaded.head !== known?.head) remember(key, loaded);
      // Documents of this folder were proved to be rows of this kind.
      return loaded.rows as Rows<R>;
    },
    async write<R extends Row>(
      kind: R["kind"],
      folder: string,
      change: Change<R>,
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
      // A writer that died leaves what it never finished, and an index that names deleted rows.
      await sweep(disk, place);
      const names = await disk.list(place);
      if (names.some((name) => !auxiliary.has(name))) {
        if (names.includes(dirtyName)) await this.write(kind, folder, {}, held);
        return;
      }
      remembered.delete(place.join("/"));
      // The mark goes last: while it stands, an index without rows is not asked.
      for (const name of auxiliary) await disk.remove([...place, name]);
      await disk.prune(place);
    },
  };
}

type Loaded = Remembered | { readonly head: undefined; readonly rows: Rows<Row> };

async function load(
  disk: Disk,
  kind: Row["kind"],
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
  const rows = new Map<string, HeldRow<Row>>();
  for (const { file, hash } of entries) {
    const same = known?.rows.get(file);
    const one = same?.hash === hash ? same : await readRow(disk, kind, folder, file);
    if (one !== undefined) rows.set(file, one);
  }
  return { head: bytes.subarray(0, headBytes).toString("latin1"), rows };
}

/** Every document that is one, whatever the index says. */
async function scan(disk: Disk, kind: Row["kind"], folder: string): Promise<Loaded> {
  const rows = new Map<string, HeldRow<Row>>();
  for (const name of await disk.list(placeOf(kind, folder))) {
    const one = await readRow(disk, kind, folder, name);
    if (one !== undefined) rows.set(name, one);
  }
  return { head: undefined, rows };
}

/** One document; undefined when it is gone, damaged or not where it belongs. */
async function readRow(
  disk: Disk,
  kind: Row["kind"],
  folder: string,
  name: string,
): Promise<HeldRow<Row> | undefined> {
  if (!isDocumentName(name)) return undefined;
  const bytes = await disk.read([...placeOf(kind, folder), name]);
  const row = bytes === undefined ? undefined : decodeDocument(bytes, { kind, folder, name });
  return bytes === undefined || row === undefined ? undefined : { row, hash: hashOf(bytes) };
}

/**
 * Marks the index, writes documents, writes the index, takes the mark away. The mark stands in the
 * same folder as the documents and before them, so wherever a crash falls, either it is there or
 * nothing has happened.
 */
async function apply<R extends Row>(
  disk: Disk,
  place: Place,
  before: Rows<R>,
  change: Change<R>,
  held: Held,
): Promise<Remembered> {
  const mark = [...place, dirtyName];
  const left = await disk.mark(mark);
  // A mark that was already there is of a writer that died: what it never finished goes too.
  if (!left) await sweep(disk, place);
  await held.confirm();
  const rows = new Map<string, HeldRow<Row>>(before);
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

async function sweep(disk: Disk, place: Place): Promise<void> {
  for (const name of await disk.list(place)) {
    if (isTemporary(name)) await disk.remove([...place, name]);
  }
}
