/**
 * @module RetentionRows: the rows of batch files for a run of retention, and their end: a batch is
 * written anew without them and renamed into place, or removed when nothing is left. While that
 * goes on, and once more afterwards, the generation tells other processes to learn the batches
 * anew.
 */
import { randomBytes } from "node:crypto";

import { groupBy } from "@turnproof/semconv";
import { saysTenant } from "../evidence-retention.ts";
import type { KeyedRow, QuietRoot, Removal, RetentionRows } from "../evidence-retention.ts";
import type { StoredEvent } from "../stored-event.ts";
import { generationPlace, rewriting } from "./batch-catalog.ts";
import type { BatchCatalog, RootEntry } from "./batch-catalog.ts";
import { decodeEvents, decodeManifest, encodeBatch, holdsItsRows } from "./batch-file.ts";
import type { Disk, Place } from "./disk.ts";
import { indexPlaceOf, provisionPlace, termsOfBatch, writeIndexFile } from "./index-file.ts";
import type { VerdictFiles } from "./verdict-files.ts";
import type { WriteLock } from "./write-lock.ts";

/** What a run stands on. */
export interface RetentionParts {
  readonly disk: Disk;
  readonly catalog: BatchCatalog;
  readonly lock: WriteLock;
  readonly verdicts: VerdictFiles;
}

/** A row by its batch and its place among the rows of its root there. */
export interface BatchRow {
  readonly place: Place;
  readonly root: string;
  readonly at: number;
  /** How many rows of its root the batch had. */
  readonly of: number;
}

/** The rows of a disk. */
export function retentionRows(parts: RetentionParts): RetentionRows<BatchRow> {
  const { disk, catalog } = parts;
  const quiet = async (before: number): Promise<readonly QuietRoot[]> => {
    await catalog.refresh();
    return catalog
      .newestFirst()
      .filter(({ last }) => last < before)
      .toReversed()
      .map(({ root, last }) => ({ root, last }));
  };
  return {
    countQuiet: async (before) => (await quiet(before)).length,
    async *quiet(before) {
      yield* await quiet(before);
    },
    async load(root) {
      const entry = catalog.root(root);
      return entry === undefined ? [] : ((await rowsOf(disk, entry)) ?? []);
    },
    remove: (removals) => remove(parts, removals),
  };
}

/** All rows of a root; undefined when some are damaged: then nobody can say what rests on what. */
async function rowsOf(
  disk: Disk,
  entry: RootEntry,
): Promise<readonly KeyedRow<BatchRow>[] | undefined> {
  const rows: KeyedRow<BatchRow>[] = [];
  for (const { place, part } of entry.parts) {
    const bytes = await disk.read(place, { at: part.at, length: part.length });
    const events = bytes === undefined ? undefined : decodeEvents(bytes, part);
    if (events === undefined) return undefined;
    for (const [at, row] of events.entries()) {
      rows.push({ key: { place, root: entry.root, at, of: part.rows }, row });
    }
  }
  return rows;
}

type Gone = KeyedRow<BatchRow>;

async function remove(
  parts: RetentionParts,
  removals: readonly Removal<BatchRow>[],
): Promise<readonly number[]> {
  const { disk, catalog, verdicts } = parts;
  await catalog.refresh();
  const still = removals.filter(({ root, last }) => catalog.root(root)?.last === last);
  await disk.ensure(generationPlace.slice(0, -1));
  await sayGeneration(disk, rewriting);
  // Where a root lies in several batches, what says whose it is goes last, so that neither a reader
  // nor an interrupted run sees a row that seems to be somebody else's.
  const last = new Set(
    still.flatMap(({ gone, left }) => {
      const places = new Set(gone.map(({ key }) => key.place.join("/")));
      const split = places.size > 1 || left.length > 0;
      return split ? gone.filter(({ row }) => saysTenant(row)) : [];
    }),
  );
  const all = still.flatMap(({ gone }) => gone);
  const done = new Set<Gone>();
  const before = new Map<string, readonly Gone[]>();
  for (const half of [all.filter((one) => !last.has(one)), [...last]]) {
    for (const [name, rows] of groupBy(half, ({ key }) => key.place.join("/"))) {
      const removed = before.get(name) ?? [];
      if (!(await rewrite(parts, rows, removed))) continue;
      before.set(name, [...removed, ...rows]);
      for (const row of rows) done.add(row);
    }
  }
  await sayGeneration(disk, "");
  await catalog.refresh();
  await verdicts.forget(
    still.filter(({ root }) => catalog.root(root) === undefined).map(({ root }) => root),
  );
  return removals.map(({ gone }) => gone.filter((row) => done.has(row)).length);
}

async function sayGeneration(disk: Disk, prefix: string): Promise<void> {
  const text = `${prefix}${randomBytes(8).toString("hex")}`;
  await disk.replace(generationPlace, Buffer.from(text, "utf8"));
  await disk.sync(generationPlace.slice(0, -1));
}

/** Writes one batch without these rows; false when it is not what it was when they were read. */
async function rewrite(
  { disk, lock }: RetentionParts,
  rows: readonly Gone[],
  removed: readonly Gone[],
): Promise<boolean> {
  const place = rows[0]?.key.place;
  if (place === undefined) return true;
  return lock.run(async (held) => {
    await held.confirm();
    const kept = await rowsWithout(disk, place, rows, removed);
    if (kept === undefined) return false;
    const folder = place.slice(0, -1);
    if (kept.events.length === 0) {
      await disk.remove(place);
      await disk.remove(indexPlaceOf(place));
      await disk.sync(folder);
      await disk.prune(folder);
      return true;
    }
    const { bytes, manifest } = encodeBatch({ ...kept.batch, events: [] }, kept.events);
    await disk.replace(place, bytes);
    await disk.sync(folder);
    if ((await disk.stat(provisionPlace)) !== undefined) {
      await writeIndexFile(disk, place, manifest, termsOfBatch(kept.events));
    }
    return true;
  });
}

interface Kept {
  readonly batch: { readonly batchId: string; readonly receivedAt: string };
  readonly events: readonly StoredEvent[];
}

async function rowsWithout(
  disk: Disk,
  place: Place,
  rows: readonly Gone[],
  removed: readonly Gone[],
): Promise<Kept | undefined> {
  const bytes = await disk.read(place);
  const manifest = bytes === undefined ? undefined : decodeManifest(bytes);
  if (bytes === undefined || typeof manifest !== "object") return undefined;
  if (!holdsItsRows(bytes, manifest)) return undefined;
  const going = groupBy(rows, ({ key }) => key.root);
  const gone = groupBy(removed, ({ key }) => key.root);
  const events: StoredEvent[] = [];
  for (const part of manifest.roots) {
    const own = decodeEvents(bytes.subarray(part.at, part.at + part.length), part);
    if (own === undefined) return undefined;
    const before = (gone.get(part.root) ?? []).map(({ key }) => key.at);
    const now = going.get(part.root) ?? [];
    // Rows keep their order, so a row stands as much earlier as rows before it went.
    const places = new Map(
      now.map(({ key, row }) => [key.at - before.filter((at) => at < key.at).length, row] as const),
    );
    const same = now.every(({ key }) => key.of === part.rows + before.length);
    if (!same || [...places].some(([at, row]) => own[at]?.event_id !== row.event_id)) {
      return undefined;
    }
    events.push(...own.filter((_event, at) => !places.has(at)));
  }
  return { batch: { batchId: manifest.batch_id, receivedAt: manifest.received_at }, events };
}
