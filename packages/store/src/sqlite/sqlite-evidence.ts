/**
 * @module SqliteEvidence: the evidence port in one SQLite database: bundles by root, words that
 * index the roots, turns. Several processes may share the file.
 */
import type { SqliteDatabase } from "./sqlite-database.ts";

import { CodedError, epochMicros } from "@turnproof/semconv";

import type { EvidenceStore } from "../evidence-store.ts";
import { epochKey } from "../ledger/epoch-key.ts";
import { operatorRowsOf } from "../operator-rows.ts";
import { capabilitiesOf } from "../providers.ts";
import { shortRootsOf } from "../short-roots.ts";
import { checkBy } from "../store-check.ts";

import { bundleReads } from "./bundle-reads.ts";
import type { SqliteReadParts } from "./bundle-reads.ts";
import { bundleTablesSql, ownColumns } from "./bundle-schema.ts";
import { bundleWriter } from "./bundle-writer.ts";
import { alone } from "./sqlite-database.ts";
import { codedSqlite } from "./sqlite-error.ts";
import { operatorTablesSql, sqliteOperatorRows } from "./operator-rows.ts";
import { turnsIn } from "./sqlite-turns.ts";
import { reasonlessSql, turnTablesSql } from "./turn-schema.ts";

/** Version of the tables; a file of a newer one is refused. */
const schemaVersion = 5;
/** The first version with the reasons of verdicts. */
const reasonsVersion = 5;

/**
 * True where the tables of this or an older version exist.
 *
 * @throws CodedError store_version_newer
 */
export function hasEvidenceTables(database: SqliteDatabase): boolean {
  return versionOf(database) > 0;
}

/** True where they are of this version. @throws CodedError store_version_newer */
export function isThisVersion(database: SqliteDatabase): boolean {
  return versionOf(database) === schemaVersion;
}

function versionOf(database: SqliteDatabase): number {
  const held = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (held > schemaVersion) throw new CodedError("store_version_newer");
  return held;
}

/**
 * Creates missing tables, and brings older ones to this version.
 *
 * @throws CodedError store_version_newer
 */
export function makeEvidenceTables(database: SqliteDatabase): void {
  if (isThisVersion(database)) return;
  for (const sql of [...bundleTablesSql, ...turnTablesSql, ...operatorTablesSql])
    database.exec(sql);
  // Several processes may open a file at once: the first one brings it up, the others find it done.
  database.exec("BEGIN IMMEDIATE");
  try {
    if (hasColumn(database, "roots", "evidence")) {
      database.exec("ALTER TABLE roots DROP COLUMN evidence");
    }
    if (!hasColumn(database, "roots", "own_from")) {
      for (const column of ownColumns) database.exec(`ALTER TABLE roots ADD COLUMN ${column}`);
    }
    // A process of this version may have brought it up since: its turns have reasons.
    if (versionOf(database) < reasonsVersion) database.exec(reasonlessSql);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function hasColumn(database: SqliteDatabase, table: string, column: string): boolean {
  const held = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return held.get(table, column) !== undefined;
}

/** Drops the verdicts table of an earlier build. */
export function dropVerdicts(database: SqliteDatabase): void {
  // Checked first: even dropping nothing would wait for a writer.
  const held = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'verdicts'").get();
  if (held !== undefined) database.exec("DROP TABLE IF EXISTS verdicts");
}

/** Dependencies of evidence besides the connection for reads. */
export interface EvidenceParts extends Omit<SqliteReadParts, "open"> {
  /** A separate connection for writes, which then yield to other work of the thread. */
  readonly writer?: SqliteDatabase;
}

/** Evidence in a database that has the tables; its connections are closed with it. */
export function sqliteEvidence(database: SqliteDatabase, parts: EvidenceParts = {}): EvidenceStore {
  const { writer: own } = parts;
  const writer = own === undefined ? bundleWriter(database) : bundleWriter(own, database);
  const open = (): void => {
    if (!database.isOpen) throw new CodedError("store_closed");
  };
  const store: EvidenceStore = {
    name: "sqlite",
    capabilities: capabilitiesOf("filesystem"),
    sources: ["trace", "conversation", "tool_log"],
    ledger: turnsIn(database, undefined, own),
    operatorRows: operatorRowsOf(sqliteOperatorRows(database, own)),
    ...bundleReads(database, { ...parts, open }),
    async append(batch) {
      open();
      await writer.append(batch);
    },
    async appendPrepared(batch) {
      open();
      await writer.append(batch);
    },
    async readBack(batchId) {
      open();
      return writer.readBack(batchId);
    },
    shortRoots: (...requested) => shortRootsOf(store, ...requested),
    async quietRoots(since, before, limit) {
      open();
      const rows = database
        .prepare(
          `SELECT root_trace_id AS root FROM roots WHERE last >= ? AND last < ?
           ORDER BY last, root_trace_id LIMIT ?`,
        )
        .all(epochMicros(since), epochMicros(before), limit);
      return rows.map(({ root }) => String(root));
    },
    standing: standingOf(database, open),
    async held() {
      open();
      const row = database
        .prepare(
          // The rows, by an index that holds their counts.
          `SELECT (SELECT coalesce(sum(events), 0) FROM bundles) AS events,
             (SELECT coalesce(sum(epoch), 0) FROM root_epochs) AS deletions`,
        )
        .get();
      return { events: Number(row?.["events"]), deletions: Number(row?.["deletions"]) };
    },
    check: () =>
      checkBy(() =>
        codedSqlite(() => {
          open();
          database.prepare("SELECT max(id) FROM bundles").get();
          database.prepare("SELECT max(id) FROM turns").get();
        }),
      ),
    async close() {
      // A write in progress is completed.
      await alone(own ?? database, async () => {});
      for (const one of [own, database]) if (one?.isOpen === true) one.close();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  return store;
}

/** Standing of roots in a database. @param open throws once the store is closed */
export function standingOf(
  database: SqliteDatabase,
  open: () => void = () => {},
): EvidenceStore["standing"] {
  const standing = database.prepare(
    // Counted from the rows: the counts of `roots` remain when rows are gone.
    `SELECT listed.value ->> 0 AS root,
       (SELECT coalesce(sum(events), 0) FROM bundles WHERE bundles.root = roots.id) AS rows,
       coalesce(root_epochs.epoch, 0) AS epoch
     FROM json_each(?) listed
     LEFT JOIN roots ON roots.root_trace_id = listed.value ->> 0
     LEFT JOIN root_epochs ON root_epochs.root = listed.value ->> 1
     WHERE roots.rows IS NOT NULL OR root_epochs.epoch IS NOT NULL`,
  );
  return async (roots) => {
    open();
    const requested = roots.filter((root) => root.isWellFormed());
    const rows = standing.all(JSON.stringify(requested.map((root) => [root, epochKey(root)])));
    return new Map(
      rows.map(({ root, rows: held, epoch }) => [
        String(root),
        { rows: Number(held), epoch: Number(epoch) },
      ]),
    );
  };
}
