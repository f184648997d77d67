/**
 * @module RootRows: the rows of whole roots for retention and erasure, and their deletion. A root
 * that loses rows is rewritten in one transaction, with its turns.
 */
import { CodedError } from "@turnproof/semconv";

import { hashesOf, hashesOfId } from "../bundle/bundle-words.ts";
import { loadEach, pinnedBatch } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import type { KeyedRow, QuietRoot, Removal, RetentionRows } from "../evidence-retention.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import { recordsOf } from "../ledger/turn-records.ts";
import { settledEvents } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { rowsOfRoot } from "./bundle-reads.ts";
import { bundleWriter } from "./bundle-writer.ts";
import { sqliteOperatorRows } from "./operator-rows.ts";
import { rootEpochs } from "./root-epochs.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { transaction } from "./sqlite-database.ts";
import { codedSqlite } from "./sqlite-error.ts";
import { standingOf } from "./sqlite-evidence.ts";
import { turnsIn } from "./sqlite-turns.ts";
import { turnRows } from "./turn-rows.ts";

/** The rows of a database. A row is identified by its position under its root. */
export function retentionRows(database: SqliteDatabase): RetentionRows<number> {
  const ofRoot = rowsOfRoot(database);
  const replace = rootReplacer(database);
  return {
    countQuiet: (before) =>
      codedSqlite(() => {
        const row = database.prepare("SELECT count(*) AS n FROM roots WHERE last < ?").get(before);
        return Number(row?.["n"]);
      }),
    quiet: (before) => quietRoots(database, before),
    // A root with a damaged row cannot be attributed, so it is kept.
    load: (root) => codedSqlite(() => keyed(ofRoot(root) ?? [])),
    remove: (removals) =>
      codedSqlite(() => transaction(database, () => removals.map((removal) => replace(removal)))),
    written: {
      archive: sqliteOperatorRows(database),
      standing: standingOf(database),
      turnsOf: (roots) => turnsIn(database).turnsOf(roots),
    },
  };
}

function keyed(rows: readonly StoredEvent[]): readonly KeyedRow<number>[] {
  return rows.map((row, key) => ({ key, row }));
}

/** Roots of one page of the walk. */
const pageRoots = 500;

async function* quietRoots(database: SqliteDatabase, before: number): AsyncGenerator<QuietRoot> {
  const page = database.prepare(
    `SELECT id, root_trace_id AS root, last FROM roots WHERE last < ? AND (last, id) > (?, ?)
     ORDER BY last, id LIMIT ${pageRoots}`,
  );
  for (let after: readonly [number, number] = [Number.MIN_SAFE_INTEGER, 0]; ;) {
    const place = after;
    const rows = await codedSqlite(() => page.all(before, ...place));
    for (const { root, last } of rows) yield { root: String(root), last: Number(last) };
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageRoots) return;
    after = [Number(end["last"]), Number(end["id"])];
  }
}

/** Replaces a root with its remaining rows; 0 where it grew since it was read. */
function rootReplacer(database: SqliteDatabase): (removal: Removal<unknown>) => number {
  const ofRoot = rowsOfRoot(database);
  const writer = bundleWriter(database);
  const epochs = rootEpochs(database);
  const turns = turnRows(database);
  // Rows that are gone do not prevent a deletion; rows that cannot be decoded do.
  const known = database.prepare(
    `SELECT id, last, (SELECT coalesce(sum(events), 0) FROM bundles WHERE root = roots.id) AS rows
     FROM roots WHERE root_trace_id = ?`,
  );
  const less = database.prepare(
    `UPDATE batches SET events = batches.events - gone.events
     FROM (SELECT batch, sum(events) AS events FROM bundles WHERE root = ? GROUP BY batch) gone
     WHERE batches.id = gone.batch`,
  );
  const endWord = database.prepare("DELETE FROM bundle_words WHERE hash = ? AND root = ?");
  const ends = ["bundles WHERE root = ?", "roots WHERE id = ?"].map((where) =>
    database.prepare(`DELETE FROM ${where}`),
  );
  return ({ root, last, gone, left }) => {
    const held = known.get(root);
    const rows = ofRoot(root);
    if (rows === undefined || held?.["last"] !== last || rows.length !== held["rows"]) return 0;
    const id = Number(held["id"]);
    less.run(id);
    for (const hash of hashesOf(rows)) endWord.run(hash, id);
    for (const end of ends) end.run(id);
    const epoch = epochs.raise(root);
    const batch = pinnedBatch(left);
    if (batch !== undefined) writer.put(`${batch.batchId}/${epoch}`, left);
    const events = settledEvents(left);
    const version = { epoch, rows: left.length, settled: false };
    turns.replaceRoot(root, version, recordsOf(events, version));
    return gone.length;
  };
}

/** Erasure in a database. @param purge removes deleted bytes from the file */
export function erasureRows(
  database: SqliteDatabase,
  purge: ErasureRows<number>["purge"],
  legacy?: LegacyBundles,
): ErasureRows<number> {
  const ofRoot = rowsOfRoot(database);
  const rows = retentionRows(database);
  return {
    rootsNaming: (userId) =>
      codedSqlite(() => {
        const marks = hashesOfId(userId).map(() => "?");
        const found = database
          .prepare(
            `SELECT DISTINCT root_trace_id AS root FROM bundle_words
             JOIN roots ON roots.id = bundle_words.root
             WHERE hash IN (${marks.join(", ")}) ORDER BY root`,
          )
          .all(...hashesOfId(userId));
        return found.flatMap(({ root }) => {
          const held = ofRoot(String(root));
          // A damaged root cannot be proven free of the user.
          if (held === undefined) throw new CodedError("store_corrupt", { field: "evidence" });
          return held.some((row) => row.user_id === userId) ? [String(root)] : [];
        });
      }),
    load: (roots) => loadEach(rows, roots),
    rewrite: (roots) => rows.remove(roots),
    written: rows.written,
    // The epoch is compared as turns are written.
    forgetTurns: async () => {},
    purge,
    ...(legacy === undefined ? {} : { eraseLegacy: legacy.erase }),
  };
}
