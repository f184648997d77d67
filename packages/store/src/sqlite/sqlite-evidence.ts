/**
 * @module SqliteEvidence: the evidence port in one SQLite database: bundles by root, words by which
 * roots are found, verdicts. Several processes may share the file.
 */
import type { SqliteDatabase } from "./sqlite-database.ts";

import { turnKey } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import type { EvidenceStore, TurnVerdict } from "../evidence-store.ts";
import { inScope } from "../scope.ts";
import { epochMicros } from "../time.ts";

import { bundleReads } from "./bundle-reads.ts";
import { bundleTablesSql } from "./bundle-schema.ts";
import { bundleWriter } from "./bundle-writer.ts";
import { sqliteTurns } from "./sqlite-turns.ts";

/** Evidence in this database, which is closed with it. */
export function sqliteEvidence(database: SqliteDatabase): EvidenceStore {
  for (const sql of bundleTablesSql) database.exec(sql);
  const writer = bundleWriter(database);
  const open = (): void => {
    if (!database.isOpen) throw new CodedError("store_closed");
  };
  const store: EvidenceStore = {
    name: "sqlite",
    sources: ["trace", "conversation", "tool_log"],
    ledger: sqliteTurns(database),
    ...bundleReads(database, open),
    ...verdictsOf(database, open),
    async append(batch) {
      open();
      writer.append(batch);
    },
    async readBack(batchId) {
      open();
      return writer.readBack(batchId);
    },
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
    async standing(roots) {
      open();
      const rows = database
        .prepare(
          `SELECT root_trace_id AS root, rows FROM roots
           WHERE root_trace_id IN (SELECT value FROM json_each(?))`,
        )
        .all(JSON.stringify(roots.filter((root) => root.isWellFormed())));
      return new Map(
        rows.map(({ root, rows: held }) => [String(root), { rows: Number(held), epoch: 0 }]),
      );
    },
    async check() {
      return database.isOpen
        ? { ok: true, elapsedMs: 0 }
        : { ok: false, code: "store_closed", elapsedMs: 0 };
    },
    async close() {
      if (database.isOpen) database.close();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  return store;
}

function verdictsOf(
  database: SqliteDatabase,
  open: () => void,
): Pick<EvidenceStore, "verdicts" | "putVerdicts"> {
  const put = database.prepare(
    `INSERT INTO verdicts VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
       judged_at = excluded.judged_at, verdict = excluded.verdict
     WHERE excluded.judged_at >= judged_at`,
  );
  const ofRoot = database.prepare("SELECT verdict FROM verdicts WHERE root_trace_id = ?");
  return {
    async putVerdicts(verdicts) {
      open();
      database.exec("BEGIN IMMEDIATE");
      for (const one of verdicts) {
        put.run(turnKey(one), one.root_trace_id, one.judged_at, JSON.stringify(one));
      }
      database.exec("COMMIT");
    },
    async verdicts(scope, roots) {
      open();
      return roots
        .flatMap((root) => ofRoot.all(root))
        .map(({ verdict }) => JSON.parse(String(verdict)) as TurnVerdict)
        .filter((verdict) => inScope(verdict, scope));
    },
  };
}
