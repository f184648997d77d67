/**
 * @module Naming: a table of roots, or of a user, that statements of one run refer to, because the
 * engine keeps the text of each mutation. It is dropped afterwards. Every run has its own, so that
 * two concurrent commands do not delete each other's rows.
 */
import { randomBytes } from "node:crypto";

import { everywhere, onCluster } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";
import { NativeBlock } from "./native-writer.ts";

/** Values that a run refers to. */
export interface Names {
  readonly roots?: readonly string[];
  /** A user, in the ledger's form. */
  readonly tenant?: string;
}

/** Queries that return the values. */
export interface Named {
  readonly roots: string;
  readonly tenants: string;
}

const prefix = "naming_";

/** Tables of runs of this process: an embedded engine has no others. */
const inUse = new Set<string>();

/** Creates the table for the duration of the work. */
export async function withNames<T>(
  tables: Tables,
  names: Names,
  work: (named: Named) => Promise<T>,
): Promise<T> {
  const { engine, cluster } = tables;
  const table = `${prefix}${randomBytes(8).toString("hex")}`;
  inUse.add(table);
  try {
    await dropForgotten(tables);
    const made = createSql(table);
    await engine.command(cluster === undefined ? made : everywhere(made, cluster));
    await engine.insert(table, blockOf(names), table);
    // A replica without the names would delete nothing.
    if (cluster !== undefined) {
      await engine.command(`SYSTEM SYNC REPLICA${onCluster(cluster)} ${table}`);
    }
    const select = (column: string): string =>
      `SELECT ${column} FROM ${table} WHERE ${column} != ''`;
    return await work({ roots: select("root_trace_id"), tenants: select("tenant") });
  } finally {
    inUse.delete(table);
    // Remains of a failed run are dropped by the next one; the run's own error is the one to
    // throw.
    await drop(tables, table).catch(() => undefined);
  }
}

function createSql(table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${table}
(
    root_trace_id String,
    tenant String
)
ENGINE = MergeTree
ORDER BY root_trace_id`;
}

function blockOf({ roots = [], tenant = "" }: Names): ReturnType<NativeBlock["encode"]> {
  const block = new NativeBlock();
  for (const root of ["", ...roots]) {
    block.set("root_trace_id", "String", root);
    block.set("tenant", "String", tenant);
    block.endRow();
  }
  return block.encode();
}

/** Longer than any run takes: on a server a younger table may be another process's. */
const forgottenSeconds = 6 * 3_600;

/** Drops tables of killed runs, and the one that earlier versions shared. */
async function dropForgotten(tables: Tables): Promise<void> {
  const { engine } = tables;
  for (const table of await forgotten(engine)) {
    if (inUse.has(table)) continue;
    // A mutation that refers to these names can never finish without them, and blocks every later
    // mutation of its table; its run is repeated.
    await tables.engine.command(
      `KILL MUTATION${onCluster(tables.cluster)} WHERE database = currentDatabase()
AND NOT is_done AND position(command, '${table}') > 0 SYNC`,
    );
    await drop(tables, table);
  }
}

async function forgotten(engine: Engine): Promise<readonly string[]> {
  const old = engine.embedded
    ? ""
    : ` AND metadata_modification_time < now() - INTERVAL ${forgottenSeconds} SECOND`;
  const answer = await engine.query(
    `SELECT name FROM system.tables WHERE database = currentDatabase()
AND (name = 'naming' OR match(name, '^${prefix}[0-9a-f]{16}$'))${old}`,
  );
  return (answer.columns.get("name") ?? []) as readonly string[];
}

async function drop({ engine, cluster }: Tables, table: string): Promise<void> {
  await engine.command(`DROP TABLE IF EXISTS ${table}${onCluster(cluster)} SYNC`);
}
