/**
 * @module ServerEngine: a ClickHouse server by URL, or a cluster by the URL of one of its servers.
 * On a cluster inserts go to the shards, and every statement has settings for shards and replicas.
 */
import { Readable } from "node:stream";

import type {
  ClickHouseClient,
  ClickHouseClientConfigOptions,
  ClickHouseSettings,
} from "@clickhouse/client";
import { CodedError } from "@turnproof/semconv";

import { clusterName } from "./clickhouse-options.ts";
import type { ServerConnection } from "./clickhouse-options.ts";
import { clusterInserts } from "./cluster-inserts.ts";
import type { Shard, ShardReplica } from "./cluster-inserts.ts";
import { onCluster } from "./cluster-tables.ts";
import type { Engine } from "./engine.ts";
import {
  coded,
  drained,
  insertSettings,
  loadClient,
  readAnswer,
  readSettings,
  run,
  select,
} from "./engine-client.ts";

/**
 * Settings of every statement on a cluster. A root's rows are on one shard, so a subquery over
 * roots is local to each shard; reads start with the replica that inserts start with, so that
 * acknowledged rows are visible; an answer with a missing shard is an error.
 */
function clusterSettings({ quorum = "auto" }: ServerConnection): ClickHouseSettings {
  return {
    distributed_foreground_insert: 1,
    distributed_product_mode: "local",
    load_balancing: "in_order",
    prefer_localhost_replica: 0,
    skip_unavailable_shards: 0,
    insert_quorum: String(quorum),
    insert_quorum_timeout: 20_000,
    distributed_ddl_task_timeout: String(ddlSeconds),
    distributed_ddl_output_mode: "throw",
  };
}

/** Timeout of statements on all servers; a deletion rewrites parts on each. */
const ddlSeconds = 300;

/**
 * Opens the server and creates its database, where that is allowed; its tables are created
 * elsewhere.
 */
export async function openServer(options: ServerConnection, mayChange: boolean): Promise<Engine> {
  const { createClient } = await loadClient();
  const { cluster, database = "default" } = options;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(database)) throw new CodedError("config_invalid");
  const config = {
    url: options.url,
    username: options.user ?? "default",
    password: options.password ?? "",
    request_timeout: options.timeoutMs ?? 30_000,
    compression: { request: true, response: true },
    keep_alive: { enabled: true },
    // The client logs statements with their values at this level; ours contain identities.
    log: { level: 127 as const },
    clickhouse_settings: {
      ...readSettings,
      ...(cluster === undefined ? {} : clusterSettings(options)),
    },
  } satisfies ClickHouseClientConfigOptions;
  if (database !== "default" && mayChange)
    await createDatabase(createClient(config), database, cluster);
  const clients: ClickHouseClient[] = [];
  const connect = (changed: ClickHouseClientConfigOptions = {}): ClickHouseClient => {
    const client = createClient({ ...config, database, ...changed });
    clients.push(client);
    return client;
  };
  const client = connect();
  const commanding =
    cluster === undefined ? client : connect({ request_timeout: (ddlSeconds + 30) * 1_000 });
  const through = insertsOf(client);
  const engine: Engine = {
    embedded: false,
    select: (sql, parameters, signal) => select(client, sql, parameters, signal),
    query: async (sql, parameters, signal) =>
      readAnswer(await select(client, sql, parameters, signal)),
    command: (sql) => coded(() => run(commanding, sql)),
    insert: through,
    async close() {
      await Promise.all(clients.map((one) => one.close()));
    },
  };
  if (cluster === undefined) return engine;
  const shards = await shardsOf(engine, cluster, (host) => connect({ url: urlOf(options, host) }));
  return { ...engine, insert: clusterInserts(cluster, shards, through) };
}

/** Inserts by this client. */
function insertsOf(client: ClickHouseClient): Engine["insert"] {
  return (table, block, token) =>
    coded(async () => {
      const names = block.columns.map(({ name }) => name);
      const settings = `${insertSettings}, insert_deduplication_token = '${token}'`;
      const query = `INSERT INTO ${table} (${names.join(", ")}) SETTINGS ${settings} FORMAT Native`;
      const values = Readable.from([block.bytes], { objectMode: false });
      const { stream } = await client.exec({ query, values });
      await drained(stream);
    });
}

/** The shards of a cluster, each replica at the HTTP port of the URL. */
async function shardsOf(
  engine: Engine,
  cluster: string,
  connect: (host: string) => ClickHouseClient,
): Promise<readonly Shard[]> {
  const answer = await engine.query(
    `SELECT toFloat64(shard_num) AS shard, toFloat64(shard_weight) AS weight,
    toFloat64(replica_num) AS replica, host_name AS host
FROM system.clusters WHERE cluster = '${clusterName(cluster)}' ORDER BY shard_num, replica_num`,
  );
  const column = (name: string): readonly unknown[] => answer.columns.get(name) ?? [];
  const shards = new Map<number, { weight: number; replicas: ShardReplica[] }>();
  for (const [at, host] of column("host").entries()) {
    const [shard, replica] = [Number(column("shard")[at]), Number(column("replica")[at])];
    const held = shards.get(shard) ?? { weight: Number(column("weight")[at]), replicas: [] };
    shards.set(shard, held);
    held.replicas.push(replicaOf(connect(String(host)), cluster, `${shard}/${replica}`));
  }
  return [...shards.values()];
}

/** A replica over HTTP. Its name may lead to a proxy, or to another server. */
function replicaOf(client: ClickHouseClient, cluster: string, place: string): ShardReplica {
  const question = `SELECT concat(toString(shard_num), '/', toString(replica_num)) AS place
FROM system.clusters WHERE cluster = '${clusterName(cluster)}' AND is_local`;
  return {
    async isItself() {
      const { columns, rows } = readAnswer(await select(client, question));
      return rows === 1 && columns.get("place")?.[0] === place;
    },
    insert: insertsOf(client),
  };
}

function urlOf({ url }: ServerConnection, host: string): string {
  const replica = new URL(url);
  replica.hostname = host.includes(":") ? `[${host}]` : host;
  return replica.origin;
}

/**
 * Creates the database where the server has none; both names have been validated as words. No
 * statement is sent to the whole cluster otherwise, because one of its servers may be unreachable.
 */
async function createDatabase(
  client: ClickHouseClient,
  database: string,
  cluster: string | undefined,
): Promise<void> {
  try {
    const question = `SELECT 1 AS one FROM system.databases WHERE name = '${database}'`;
    if (cluster !== undefined && readAnswer(await select(client, question)).rows > 0) return;
    await coded(() =>
      run(client, `CREATE DATABASE IF NOT EXISTS \`${database}\`${onCluster(cluster)}`),
    );
  } finally {
    await client.close();
  }
}
