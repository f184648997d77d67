/**
 * @module Purge: removes deleted rows from the files of the database. DELETE leaves a row in
 * place, plain VACUUM leaves its bytes in the page, the planner's statistics quote values, and the
 * write-ahead log contains everything written: so tables are rewritten, statistics are cleared,
 * and the log continues in a new file. What the role may not do is reported, never an error.
 */
import { CodedError, memoryCollections, scopedKinds } from "@turnproof/semconv";

import type { Unreached } from "../erasure.ts";
import type { Database } from "./database.ts";

/** Tables of evidence, and of scoped memory. */
export const purgedTables: {
  readonly evidence: readonly string[];
  readonly memory: readonly string[];
} = {
  evidence: [
    "evidence_bundles",
    "evidence_roots",
    "evidence_batches",
    "turn_ledger",
    "operator_rows",
  ],
  memory: scopedKinds.map((kind) => memoryCollections[kind]),
};

/**
 * Purges these tables; each statement is sent alone, because VACUUM cannot run in a transaction.
 */
export async function purge(
  database: Database,
  tables: readonly string[],
): Promise<readonly Unreached[]> {
  const unreached = new Set<Unreached>();
  const attempt = async (sql: string, left: Unreached): Promise<void> => {
    await database.script(sql).catch((error: unknown) => {
      if (!CodedError.is(error)) throw error;
      unreached.add(left);
    });
  };
  const quoted = tables.map((table) => `'${table}'::regclass`).join(", ");
  for (const table of tables) await attempt(`VACUUM FULL ${table}`, "postgres_tables");
  await attempt(
    `DELETE FROM pg_catalog.pg_statistic WHERE starelid IN (${quoted})
    OR starelid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN (${quoted}))`,
    "postgres_statistics",
  );
  await attempt("VACUUM FULL pg_catalog.pg_statistic", "postgres_statistics");
  await attempt("SET wal_recycle = off", "postgres_wal");
  // A record between two switches, or the second would have no effect; the log before the last
  // checkpoint is then obsolete.
  for (const round of [1, 2]) {
    await attempt(`SELECT pg_switch_wal(), ${round}`, "postgres_wal");
    await attempt("CHECKPOINT", "postgres_wal");
  }
  // A server may recycle its log, archive it, and keep it for replicas, by settings of its own.
  if (!database.embedded) unreached.add("postgres_wal");
  return [...unreached];
}
