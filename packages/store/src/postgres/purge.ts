/**
 * @module Purge: takes deleted rows out of the files of the database. DELETE leaves a row where it
 * lies, plain VACUUM leaves its bytes in the page, the planner's statistics quote values, and the
 * write-ahead log holds whatever was written: so tables are written anew, statistics are cleared,
 * and the log goes on in a new file. What the role may not do is said, never an error.
 */
import { CodedError, memoryCollections, scopedKinds } from "@turnproof/semconv";

import type { Unreached } from "../erasure.ts";
import type { Database } from "./database.ts";

/** Tables that hold evidence, and those that hold scoped memory. */
export const purgedTables: {
  readonly evidence: readonly string[];
  readonly memory: readonly string[];
} = {
  evidence: ["evidence_bundles", "evidence_roots", "evidence_batches", "turn_ledger"],
  memory: scopedKinds.map((kind) => memoryCollections[kind]),
};

/** Purges these tables; a statement is sent alone, as VACUUM stands in no transaction. */
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
  // A record between two switches, or the second would be none; the log before the last checkpoint
  // is not needed any more.
  for (const round of [1, 2]) {
    await attempt(`SELECT pg_switch_wal(), ${round}`, "postgres_wal");
    await attempt("CHECKPOINT", "postgres_wal");
  }
  // A server may recycle its log by settings of its own, archive it, and keep it for replicas.
  if (!database.embedded) unreached.add("postgres_wal");
  return [...unreached];
}
