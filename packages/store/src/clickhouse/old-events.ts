/**
 * @module OldEvents: copies events of an older version into bundles, slice by slice, newest first,
 * and records their turns. A slice is one insert that contains the slice's word, so a run that
 * ended at any point continues there and copies nothing twice.
 */
import { groupBy } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "../evidence-admin.ts";
import { recordRoots } from "../ledger/record-roots.ts";
import { compareOld } from "../old-parity.ts";
import { settledEvents } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { rowsOfRoots } from "./bundle-reads.ts";
import { batchWord, bundleRows, encodeRows, hasAnyWordSql, ownWord } from "./bundle-table.ts";
import type { RowsOfBatch } from "./bundle-table.ts";
import { insertWeeks } from "./bundle-writer.ts";
import type { Engine, Tables } from "./engine.ts";
import { NativeBlock } from "./native-writer.ts";
import { decodeRows } from "./old-rows.ts";
import { oldSlices } from "./old-slices.ts";
import type { OldSlice } from "./old-slices.ts";
import { allCopied, dropOldTables, hasVerdictsAlone, oldEvents } from "./old-tables.ts";
import { standingOf } from "./root-counts.ts";
import { inRuns, namesPerStatement } from "./sql-text.ts";
import { clickhouseTurns } from "./turn-ledger.ts";

/** Most old events that are copied when a store is opened: some seconds of work. */
const smallEvents = 50_000;

/** Copies a small number; true where more old events remain. */
export async function copySmall(tables: Tables): Promise<boolean> {
  const old = await oldEvents(tables.engine);
  if (old === undefined && (await hasVerdictsAlone(tables.engine))) await dropOldTables(tables);
  if (old === undefined || old.copied) return false;
  if (old.events > smallEvents) return true;
  await copyOldEvents(tables, { dryRun: false });
  // The table is empty.
  if (old.events === 0) await dropOldTables(tables);
  return false;
}

/** Copies the events of an older version; a dry run by default. */
export async function copyOldEvents(
  tables: Tables,
  { dryRun = true, signal, onProgress }: CopyOptions,
): Promise<CopyReport> {
  const { engine } = tables;
  const old = await oldEvents(engine);
  if (old === undefined) return { dry_run: dryRun, events: 0, copied: 0, complete: true };
  const slices = await oldSlices(engine, old.table);
  const done = old.noted ? await copiedSlices(engine) : new Set<string>();
  const events = slices.reduce((sum, slice) => sum + slice.events, 0);
  const isDone = ({ name }: OldSlice): boolean => old.copied || done.has(name);
  let copied = slices.filter(isDone).reduce((sum, slice) => sum + slice.events, 0);
  let complete = slices.every(isDone);
  if (!dryRun && !old.copied) {
    complete = true;
    const columns = await touchedColumns(engine, old.table);
    for (const slice of slices.filter((one) => !isDone(one))) {
      if (signal?.aborted === true) {
        complete = false;
        break;
      }
      await copySlice(tables, slice, { table: old.table, columns });
      await noteSlice(engine, slice.name);
      copied += slice.events;
      onProgress?.(copied, events);
    }
    if (complete) await noteSlice(engine, allCopied);
  }
  return { dry_run: dryRun, events, copied, complete };
}

/** Compares the events of an older version with their copy. */
export async function checkOldEvents(
  { engine }: Tables,
  options?: Omit<CopyOptions, "dryRun">,
): Promise<ParityReport> {
  const old = await oldEvents(engine);
  if (old === undefined) return { events: 0, missing: 0, roots: 0, deleted: 0, complete: true };
  if (!old.noted) return nothingCopied(old.events);
  const columns = await touchedColumns(engine, old.table);
  const both = {
    events: old.events,
    pages: pagesOf(engine, old.table, columns),
    rowsOf: (roots: readonly string[]) => rowsOfRoots(engine, roots),
    standing: (roots: readonly string[]) => standingOf(engine, roots),
  };
  return compareOld(both, options);
}

/** The tables of this version do not exist yet. */
function nothingCopied(events: number): ParityReport {
  return { events, missing: events, roots: 0, deleted: 0, complete: true };
}

async function* pagesOf(
  engine: Engine,
  table: string,
  columns: readonly string[],
): AsyncGenerator<readonly StoredEvent[]> {
  for (const { where } of await oldSlices(engine, table)) {
    yield decodeRows(
      await engine.query(`SELECT ${columns.join(", ")} FROM ${table} WHERE ${where}`),
    );
  }
}

async function copiedSlices(engine: Engine): Promise<ReadonlySet<string>> {
  const answer = await engine.query("SELECT DISTINCT slice FROM copied_slices");
  return new Set((answer.columns.get("slice") ?? []) as readonly string[]);
}

async function noteSlice(engine: Engine, name: string): Promise<void> {
  const block = new NativeBlock();
  block.set("slice", "String", name);
  block.endRow();
  await engine.insert("copied_slices", block.encode(), name.replaceAll("/", "_"));
}

/** Columns with a value in some row; the others have their default in all rows. */
async function touchedColumns(engine: Engine, table: string): Promise<readonly string[]> {
  const answer = await engine.query(
    `SELECT name FROM system.columns WHERE database = currentDatabase()
    AND table = '${table}' AND default_kind = ''
    AND (name IN (SELECT toString(name) FROM touched) OR name = 'batch')`,
  );
  return (answer.columns.get("name") ?? []) as readonly string[];
}

async function copySlice(
  tables: Tables,
  slice: OldSlice,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
): Promise<void> {
  const { engine } = tables;
  const answer = await engine.query(
    `SELECT ${columns.join(", ")} FROM ${table} WHERE ${slice.where}`,
  );
  const events = decodeRows(answer);
  const numbers = (answer.columns.get("batch") ?? []) as readonly bigint[];
  const word = ownWord(`copied:${slice.name}`);
  const times = events.map(({ received_at: at }) => at).toSorted();
  const [first] = times;
  if (first === undefined) return;
  if (!(await isInserted(engine, word, [first, times.at(-1) ?? first]))) {
    const batches = await batchesOf(engine, events, numbers, word);
    await insertWeeks(engine, encodeRows(batches), `copied/${slice.name}`);
  }
  await recordTurns(tables, [...new Set(events.map(({ root_trace_id: root }) => root ?? ""))]);
}

/** True when the insert of this slice was done by a run that ended right after it. */
async function isInserted(
  engine: Engine,
  word: number,
  [first, last]: readonly [string, string],
): Promise<boolean> {
  const [from, to] = [first, last].map((time) => `parseDateTime64BestEffort('${time}', 6, 'UTC')`);
  const answer = await engine.query(
    `SELECT 1 AS one FROM bundles
WHERE ${hasAnyWordSql([word])} AND received_at >= ${from} AND received_at <= ${to} LIMIT 1`,
  );
  return answer.rows > 0;
}

/** The rows of a slice under their original batches, so that these are still counted. */
async function batchesOf(
  engine: Engine,
  events: readonly StoredEvent[],
  numbers: readonly bigint[],
  word: number,
): Promise<readonly RowsOfBatch[]> {
  const known = new Map<bigint, { readonly name: string; readonly events: number }>();
  for (const some of inRuns(new Set(numbers.map(String)), namesPerStatement)) {
    const answer = await engine.query(
      `SELECT batch, any(batch_id) AS name, toFloat64(max(events)) AS events FROM batches
WHERE batch IN (${some.join(", ")}) GROUP BY batch`,
    );
    const names = (answer.columns.get("name") ?? []) as readonly string[];
    const counts = answer.columns.get("events") ?? [];
    for (const [at, number] of ((answer.columns.get("batch") ?? []) as readonly bigint[]).entries())
      known.set(number, { name: names[at] ?? "", events: Number(counts[at]) });
  }
  const own = groupBy([...events.keys()], (at) => numbers[at] ?? 0n);
  return [...own].map(([number, places]) => {
    const batch = known.get(number);
    return {
      number,
      events: batch?.events ?? places.length,
      words: batch === undefined ? [word] : [word, batchWord(batch.name)],
      rows: bundleRows(places.map((at) => events[at] as StoredEvent)),
    };
  });
}

/** Records the turns of roots from everything copied of them; the judge settles them. */
async function recordTurns(tables: Tables, roots: readonly string[]): Promise<void> {
  const { engine } = tables;
  const standing = await standingOf(engine, roots);
  const rows = groupBy(await rowsOfRoots(engine, roots), (row) => row.root_trace_id ?? "");
  const whole = [...rows].map(([root, own]) => ({
    root,
    events: settledEvents(own),
    rows: standing.get(root)?.rows ?? own.length,
    epoch: standing.get(root)?.epoch ?? 0,
  }));
  await recordRoots(clickhouseTurns(tables), whole);
}
