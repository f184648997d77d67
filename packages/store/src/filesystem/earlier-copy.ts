/**
 * @module EarlierCopy: copies the batch files of earlier versions into the database. Copied
 * batches are recognized by their id, so a run that ended early continues there; the files remain
 * until they are dropped.
 */
import { CodedError } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "../evidence-admin.ts";
import { recordsOf } from "../ledger/turn-records.ts";
import { compareOld } from "../old-parity.ts";
import { settledEvents } from "../settle.ts";
import { rowsOfRoot } from "../sqlite/bundle-reads.ts";
import { bundleWriter } from "../sqlite/bundle-writer.ts";
import { rootEpochs } from "../sqlite/root-epochs.ts";
import { transaction } from "../sqlite/sqlite-database.ts";
import type { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { turnRows } from "../sqlite/turn-rows.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Disk, DiskPlace } from "./disk.ts";
import { dropEarlierFiles, earlierBatchFiles } from "./earlier-files.ts";
import { readEarlierBatch } from "./earlier-files.ts";
import type { EarlierBatch } from "./earlier-files.ts";

/** Data of earlier versions in a folder. */
export interface EarlierCopy {
  /** True while there are batches that are not copied. */
  pending(): boolean;
  /** Inspects the folder; copies a small amount, if allowed. */
  open(mayChange?: boolean): Promise<void>;
  copy(options?: CopyOptions): Promise<CopyReport>;
  /** Compares the files with the database. */
  check(options?: Omit<CopyOptions, "dryRun">): Promise<ParityReport>;
  /** @throws CodedError `migration_pending` */
  drop(): Promise<void>;
}

/** Largest total of files that are copied when the folder is opened. */
const bytesAtOpenMax = 32 * 1_024 * 1_024;
const filesAtOpenMax = 2_000;
/** Events of one transaction. */
const eventsPerStep = 5_000;
const filesPerStep = 100;
const rootsPerStep = 200;

const tableSql = `CREATE TABLE IF NOT EXISTS copies (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`;
/** Marker in that table when all batches are copied. */
const all = "batches";

/** The copy from a disk into its database. */
export function earlierCopy(disk: Disk, database: SqliteDatabase): EarlierCopy {
  let pending = false;
  const isNoted = (): boolean =>
    database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'copies'").get() !== undefined;
  const isDone = (): boolean =>
    isNoted() && database.prepare("SELECT 1 FROM copies WHERE name = ?").get(all) !== undefined;
  const copy = async (options: CopyOptions = {}): Promise<CopyReport> => {
    const report = await copyAll(disk, database, options, isDone());
    if (report.complete && !report.dry_run) {
      if (report.events > 0 || pending) await markDone(database);
      pending = false;
    }
    return report;
  };
  return {
    pending: () => pending && !isDone(),
    async open(mayChange = true) {
      if (mayChange) database.exec(tableSql);
      if (isDone()) return;
      const places = await earlierBatchFiles(disk);
      pending = places.length > 0;
      if (pending && mayChange && (await isSmall(disk, places))) await copy({ dryRun: false });
    },
    copy,
    check: (options) => checkFiles(disk, database, options),
    async drop() {
      if (pending && !isDone()) throw new CodedError("migration_pending");
      await dropEarlierFiles(disk);
    },
  };
}

async function markDone(database: SqliteDatabase): Promise<void> {
  await transaction(database, () =>
    database.prepare("INSERT OR IGNORE INTO copies VALUES (?)").run(all),
  );
}

async function isSmall(disk: Disk, places: readonly DiskPlace[]): Promise<boolean> {
  if (places.length > filesAtOpenMax) return false;
  let bytes = 0;
  for (const place of places) {
    bytes += (await disk.stat(place))?.size ?? 0;
    if (bytes > bytesAtOpenMax) return false;
  }
  return true;
}

async function copyAll(
  disk: Disk,
  database: SqliteDatabase,
  { dryRun = true, signal, onProgress }: CopyOptions,
  done: boolean,
): Promise<CopyReport> {
  const writer = bundleWriter(database);
  const places = await earlierBatchFiles(disk);
  const counts = { events: 0, copied: 0 };
  let step: EarlierBatch[] = [];
  const finish = async (): Promise<void> => {
    const batches = step;
    step = [];
    if (batches.length === 0) return;
    await transaction(database, () => {
      for (const { batchId, events, damaged } of batches) writer.put(batchId, events, damaged);
    });
    counts.copied += batches.reduce((sum, batch) => sum + batch.events.length, 0);
  };
  for (const [at, place] of places.entries()) {
    if (signal?.aborted === true) {
      await finish();
      return { dry_run: dryRun, ...counts, complete: false };
    }
    const batch = await readEarlierBatch(disk, place);
    onProgress?.(at + 1, places.length);
    if (batch === undefined) continue;
    counts.events += batch.events.length;
    // Retention may have deleted rows of it since it was copied.
    if (done || writer.isKnown(batch.batchId)) counts.copied += batch.events.length;
    else if (!dryRun) step.push(batch);
    const waiting = step.reduce((sum, { events }) => sum + events.length, 0);
    if (waiting >= eventsPerStep || step.length >= filesPerStep) await finish();
  }
  await finish();
  const complete = dryRun || done || (await recordRoots(database, signal));
  return { dry_run: dryRun, ...counts, complete };
}

async function checkFiles(
  disk: Disk,
  database: SqliteDatabase,
  options?: Omit<CopyOptions, "dryRun">,
): Promise<ParityReport> {
  const places = await earlierBatchFiles(disk);
  const ofRoot = rowsOfRoot(database);
  const epochs = rootEpochs(database);
  const both = {
    events: await eventsOfFiles(disk, places),
    pages: pagesOf(disk, places),
    rowsOf: async (roots: readonly string[]) => roots.flatMap((root) => ofRoot(root) ?? []),
    standing: async (roots: readonly string[]) =>
      new Map(roots.map((root) => [root, { rows: 0, epoch: epochs.of(root) }])),
  };
  return compareOld(both, options);
}

/** Number of readable events in the files; a damaged part has none. */
async function eventsOfFiles(disk: Disk, places: readonly DiskPlace[]): Promise<number> {
  let events = 0;
  for await (const page of pagesOf(disk, places)) events += page.length;
  return events;
}

async function* pagesOf(
  disk: Disk,
  places: readonly DiskPlace[],
): AsyncGenerator<readonly StoredEvent[]> {
  for (const place of places) yield (await readEarlierBatch(disk, place))?.events ?? [];
}

/** Records the turns of roots that have none; false where it ended early. */
async function recordRoots(database: SqliteDatabase, signal?: AbortSignal): Promise<boolean> {
  const ofRoot = rowsOfRoot(database);
  const epochs = rootEpochs(database);
  const turns = turnRows(database);
  const page = database.prepare(
    `SELECT id, root_trace_id AS root FROM roots WHERE id > ? AND NOT EXISTS
       (SELECT 1 FROM turns WHERE turns.root_trace_id = roots.root_trace_id)
     ORDER BY id LIMIT ${rootsPerStep}`,
  );
  for (let after = 0; ;) {
    if (signal?.aborted === true) return false;
    const rows = page.all(after);
    const last = rows.at(-1);
    if (last === undefined) return true;
    after = Number(last["id"]);
    await transaction(database, () => {
      for (const root of rows.map((row) => String(row["root"]))) {
        const held = ofRoot(root) ?? [];
        const version = { epoch: epochs.of(root), rows: held.length, settled: false };
        for (const record of recordsOf(settledEvents(held), version)) {
          turns.put(record);
        }
      }
    });
  }
}
