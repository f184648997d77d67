/**
 * @module ClusterTables: tables on a cluster. Rows are in a local table of each shard, replicated
 * within it; a `Distributed` table with the plain name covers them, so that queries are the same
 * as on one server. All rows of a root are on one shard, or FINAL would count its turns twice.
 */
import { CodedError } from "@turnproof/semconv";

import { clusterName } from "./clickhouse-options.ts";
import type { Engine, Tables } from "./engine.ts";

/**
 * The hash of a root in a table that has only its name; `rootHash` computes the same in the
 * process.
 */
const hashOfRoot = "murmurHash3_32(concat('id:', root_trace_id))";

/** Tables over all shards, and the expression for the shard of a row. */
const shardKeys: Readonly<Record<string, string>> = {
  bundles: "root",
  turn_ledger: hashOfRoot,
  root_epochs: "root",
  copied_slices: "murmurHash3_32(slice)",
  migrations: "version",
  collector_state: "murmurHash3_32(name)",
  operator_rows: "murmurHash3_32(id)",
};

/** The table with the rows on each server. */
export function localTable(table: string, cluster: string | undefined): string {
  return cluster !== undefined && Object.hasOwn(shardKeys, table) ? `${table}_local` : table;
}

/** Clause after a table's name that runs a statement on every server. */
export function onCluster(cluster: string | undefined): string {
  return cluster === undefined ? "" : ` ON CLUSTER '${clusterName(cluster)}'`;
}

/** A cluster as the connected server describes it, and the database of the tables. */
export interface ClusterLayout {
  readonly cluster: string;
  readonly database: string;
  /** Weights of the shards, by which the engine distributes rows. */
  readonly weights: readonly number[];
}

/**
 * Reads the layout. @throws CodedError `config_invalid` for a cluster that the server does not
 * have
 */
export async function readLayout(engine: Engine, cluster: string): Promise<ClusterLayout> {
  const answer = await engine.query(
    `SELECT currentDatabase() AS database, toFloat64(shard_num) AS shard,
    toFloat64(any(shard_weight)) AS weight
FROM system.clusters WHERE cluster = '${clusterName(cluster)}' GROUP BY shard_num ORDER BY shard_num`,
  );
  const [database] = answer.columns.get("database") ?? [];
  if (answer.rows === 0) throw new CodedError("config_invalid", { field: "cluster" });
  const weights = (answer.columns.get("weight") ?? []).map(Number);
  return { cluster, database: String(database), weights };
}

/**
 * Statements for a cluster: a table is created on every server, replicated within its shard, with
 * a `Distributed` table over it. The path in Keeper has the plain name, as it had before shards. A
 * setting is changed on the local table, a column is added to both tables.
 */
export function forCluster(statement: string, layout: ClusterLayout): readonly string[] {
  if (statement.startsWith("ALTER TABLE ")) {
    const over = (name: (table: string) => string): string =>
      statement.replace(
        /^(ALTER TABLE )(\w+)/,
        (_all, head: string, table: string) => `${head}${name(table)}${onCluster(layout.cluster)}`,
      );
    const local = over((table) => localTable(table, layout.cluster));
    return statement.includes("ADD COLUMN") ? [local, over((table) => table)] : [local];
  }
  const [, table = ""] = /^CREATE TABLE IF NOT EXISTS (\w+)/.exec(statement) ?? [];
  const key = shardKeys[table];
  if (key === undefined) throw new RangeError(`no shard key for: ${statement.slice(0, 60)}`);
  const place = `'/clickhouse/tables/{shard}/{database}/${table}', '{replica}'`;
  return [replicated(statement, layout.cluster, place), distributed(table, key, layout)];
}

/** A table of which every server has a full copy, whatever its shard. */
export function everywhere(statement: string, cluster: string): string {
  const place = "'/clickhouse/tables/all/{database}/{table}', '{shard}-{replica}'";
  return replicated(statement, cluster, place);
}

function replicated(statement: string, cluster: string, place: string): string {
  return statement
    .replace(
      /^CREATE TABLE IF NOT EXISTS (\w+)/,
      (head, table: string) =>
        `${head.slice(0, -table.length)}${localTable(table, cluster)}${onCluster(cluster)}`,
    )
    .replace(
      /ENGINE = (Replacing)?MergeTree(?:\(([\w, ]+)\))?/,
      (_all, replacing: string | undefined, version: string | undefined) => {
        const extra = version === undefined ? "" : `, ${version}`;
        return `ENGINE = Replicated${replacing ?? ""}MergeTree(${place}${extra})`;
      },
    )
    .replace(/non_replicated_deduplication_window/, "replicated_deduplication_window");
}

function distributed(table: string, key: string, { cluster, database, weights }: ClusterLayout) {
  const local = localTable(table, cluster);
  return `CREATE TABLE IF NOT EXISTS ${table}${onCluster(cluster)} AS ${local}
ENGINE = Distributed('${clusterName(cluster)}', '${database}', '${local}', ${key})
COMMENT '${shardsComment(weights)}'`;
}

/** Comment on each `Distributed` table, by which a changed number of shards is detected. */
function shardsComment(weights: readonly number[]): string {
  return `shards ${weights.join(",")}`;
}

/**
 * Prepares for `Distributed` tables: tables of a version with one shard get their local name.
 *
 * @throws CodedError `config_invalid` when the tables were created for other shards: rows of a
 * root would be on two of them
 */
export async function adoptTables(engine: Engine, layout: ClusterLayout): Promise<void> {
  const names = Object.keys(shardKeys).map((name) => `'${name}'`);
  const answer = await engine.query(
    `SELECT name, engine, comment FROM system.tables
WHERE database = currentDatabase() AND name IN (${names.join(", ")})`,
  );
  const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
  for (const [at, name] of column("name").entries()) {
    if (column("engine")[at] === "Distributed") {
      if (column("comment")[at] === shardsComment(layout.weights)) continue;
      throw new CodedError("config_invalid", { field: "cluster_shards" });
    }
    const local = localTable(String(name), layout.cluster);
    await engine.command(`RENAME TABLE ${String(name)} TO ${local}${onCluster(layout.cluster)}`);
  }
}

/**
 * True when every reachable server has every table and the view. Unreachable servers are not
 * waited for, as statements on all servers would be.
 */
export async function hasTables(engine: Engine, layout: ClusterLayout): Promise<boolean> {
  const tables = Object.keys(shardKeys).flatMap((name) => [name, localTable(name, layout.cluster)]);
  const names = [...tables, "events"].map((name) => `'${name}'`);
  const answer = await engine.query(
    `SELECT toFloat64(min(n)) AS least FROM (SELECT hostName() AS host,
    uniqExactIf(name, database = '${layout.database}' AND name IN (${names.join(", ")})) AS n
FROM clusterAllReplicas('${clusterName(layout.cluster)}', system.tables) GROUP BY host)
SETTINGS skip_unavailable_shards = 1`,
  );
  return Number(answer.columns.get("least")?.[0]) === names.length;
}

/** Creates the database on servers that were added later. */
export async function makeDatabase(
  engine: Engine,
  { database, cluster }: ClusterLayout,
): Promise<void> {
  await engine.command(`CREATE DATABASE IF NOT EXISTS \`${database}\`${onCluster(cluster)}`);
}

/** Deletes rows on every shard, and waits until all replicas have replaced the parts with them. */
export async function mutate(tables: Tables, table: string, where: string): Promise<void> {
  const { engine, cluster } = tables;
  const settings = "mutations_sync = 2, allow_nondeterministic_mutations = 1";
  await engine.command(
    `ALTER TABLE ${localTable(table, cluster)}${onCluster(cluster)} DELETE WHERE ${where} SETTINGS ${settings}`,
  );
}
