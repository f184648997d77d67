/**
 * @module Erasure: finds and deletes the rows of evidence of one user in the engine. Mutations
 * rewrite parts, and the replaced parts are removed from the disk.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { CodedError, groupBy } from "@turnproof/semconv";

import { hashesOfId } from "../bundle/bundle-words.ts";
import type { EraseEvidence, Unreached } from "../erasure.ts";
import { erasureOf } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import { tenantText } from "../ledger/turn-fields.ts";
import { requireParity } from "../old-parity.ts";
import { checkOldEvents } from "./old-events.ts";
import { rowsOfRoots } from "./bundle-reads.ts";
import { hasAnySql } from "./bundle-table.ts";
import { clusterName } from "./clickhouse-options.ts";
import { localTable, mutate, onCluster } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";
import { withNames } from "./naming.ts";
import { dropOldTables, oldEvents } from "./old-tables.ts";
import { writtenRows } from "./retention-rows.ts";
import { rewriteRoots } from "./root-rewrite.ts";

/** Rows of one step: each step rewrites the parts with them. */
const rowsPerStep = 500_000;

/** The erasure of an engine. */
export function clickhouseErasure(tables: Tables): EraseEvidence {
  return async (options) => {
    const old = await oldEvents(tables.engine);
    // Rows that are not copied yet would remain; copied ones go with the old tables.
    if (old?.copied === false) throw new CodedError("migration_pending");
    return erasureOf(erasureRows(tables), rowsPerStep)(options);
  };
}

function erasureRows(tables: Tables): ErasureRows<number> {
  const { engine } = tables;
  return {
    rootsNaming: (userId) => rootsNaming(engine, userId),
    async load(roots) {
      const rows = (await rowsOfRoots(engine, roots)).map((row, key) => ({ key, row }));
      return groupBy(rows, ({ row }) => row.root_trace_id ?? "");
    },
    rewrite: (roots) => rewriteRoots(tables, roots),
    written: writtenRows(tables),
    async forgetTurns(userId) {
      await withNames(tables, { tenant: tenantText(userId) }, (named) =>
        mutate(tables, "turn_ledger", `tenant IN (${named.tenants})`),
      );
    },
    async purge() {
      requireParity(await checkOldEvents(tables));
      await dropOldTables(tables);
      return purge(tables);
    },
  };
}

/** Roots with a row of exactly this user; the index of words may find more. */
async function rootsNaming(engine: Engine, userId: string): Promise<readonly string[]> {
  const answer = await engine.query(
    `SELECT DISTINCT root_trace_id FROM bundles
WHERE ${hasAnySql(hashesOfId(userId))} AND events > 0 ORDER BY root_trace_id`,
  );
  const roots = (answer.columns.get("root_trace_id") ?? []) as readonly string[];
  const named = new Set<string>();
  for (let from = 0; from < roots.length; from += rootsAtOnce) {
    const rows = await rowsOfRoots(engine, roots.slice(from, from + rootsAtOnce));
    for (const row of rows) if (row.user_id === userId) named.add(row.root_trace_id ?? "");
  }
  return [...named];
}

const rootsAtOnce = 256;

const evidenceTables = ["bundles", "turn_ledger", "operator_rows"] as const;

/**
 * Removes replaced parts from the disk. An embedded engine has no thread for that: its tables are
 * exchanged for tables with the same active parts, which are hard links and cost nothing. A server
 * removes them by itself on request.
 */
async function purge(tables: Tables): Promise<readonly Unreached[]> {
  const { engine } = tables;
  const { together } = engine;
  if (together === undefined) return purgeServer(tables);
  for (const table of evidenceTables) {
    const other = `${table}_active`;
    // Left by a killed run.
    await engine.command(`DROP TABLE IF EXISTS ${other} SYNC`);
    await together([
      `CREATE TABLE ${other} AS ${table}`,
      `ALTER TABLE ${other} ATTACH PARTITION ALL FROM ${table}`,
      `EXCHANGE TABLES ${table} AND ${other}`,
      `DROP TABLE ${other} SYNC`,
    ]);
  }
  return [];
}

/** How long to wait for a server. */
const partsWaitMs = 20_000;

async function purgeServer(tables: Tables): Promise<readonly Unreached[]> {
  const { engine } = tables;
  const unreached: Unreached[] = ["clickhouse_server_logs"];
  const outdated = await outdatedSql(tables);
  await keepParts(tables, 1);
  try {
    const until = Date.now() + partsWaitMs;
    for (;;) {
      const answer = await engine.query(outdated);
      if (Number(answer.columns.get("n")?.[0] ?? 0) === 0) return unreached;
      if (Date.now() > until) return [...unreached, "clickhouse_inactive_parts"];
      await sleep(250);
    }
  } finally {
    await keepParts(tables, 15);
  }
}

/** Sets for how many seconds replaced parts are kept, on every server. */
async function keepParts({ engine, cluster }: Tables, seconds: number): Promise<void> {
  for (const table of evidenceTables) {
    const local = `${localTable(table, cluster)}${onCluster(cluster)}`;
    await engine.command(`ALTER TABLE ${local} MODIFY SETTING old_parts_lifetime = ${seconds}`);
  }
}

/** A query that counts replaced parts, on every server. */
async function outdatedSql({ engine, cluster }: Tables): Promise<string> {
  // On another server of the cluster the current database may be another one.
  const answer = await engine.query("SELECT currentDatabase() AS name");
  const database = String(answer.columns.get("name")?.[0]);
  const parts =
    cluster === undefined
      ? "system.parts"
      : `clusterAllReplicas('${clusterName(cluster)}', system.parts)`;
  const names = evidenceTables.map((table) => `'${localTable(table, cluster)}'`);
  return `SELECT toUInt64(count()) AS n FROM ${parts}
WHERE database = '${database}' AND NOT active AND table IN (${names.join(", ")})`;
}
