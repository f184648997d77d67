/** @module ClusterConfig: an engine that takes itself for both shards of a cluster. */
import type { ClickhouseServerOptions } from "../../servers/clickhouse-http.ts";

const root = "murmurHash3_32(concat('id:', root_trace_id))";
const keys = {
  bundles: "root",
  turn_ledger: root,
  root_epochs: "root",
  copied_slices: "murmurHash3_32(slice)",
  migrations: "version",
  collector_state: "murmurHash3_32(name)",
  operator_rows: "murmurHash3_32(id)",
};

/** Databases that have shards. */
const databasesMax = 100;

function shard(host: string, weight = 1): string {
  return `<shard><weight>${weight}</weight><internal_replication>true</internal_replication>
  <replica><host>${host}</host><port>9000</port></replica></shard>`;
}

function configOf(shards: readonly string[]): string {
  return `<clickhouse><tcp_port>9000</tcp_port><users_config>{users}</users_config>
<remote_servers><main>${shards.join("")}</main></remote_servers></clickhouse>`;
}

function usersOf(databases: readonly string[]): string {
  return `<clickhouse><profiles><default/></profiles><quotas><default/></quotas>
<users><default><password></password><profile>default</profile><quota>default</quota>
<networks><ip>::/0</ip></networks><databases>${databases.join("")}</databases></default></users>
</clickhouse>`;
}

/** Options of a server whose cluster `main` has shards at these hosts. */
export function shardsAt(
  hosts: readonly string[],
  weights: readonly number[] = [],
): ClickhouseServerOptions {
  const shards = hosts.map((host, at) => shard(host, weights[at]));
  return { config: configOf(shards), users: usersOf([]) };
}

/**
 * Options of a server with the cluster `main`. In the databases of these names a shard sees the
 * rows alone that belong to it.
 */
export function twoShards(database: (n: number) => string): ClickhouseServerOptions {
  const filters = Object.entries(keys).map(
    ([table, key]) =>
      `<${table}_local><filter>shardNum() = 0 OR ${key} % 2 = shardNum() - 1</filter></${table}_local>`,
  );
  const databases = Array.from({ length: databasesMax }, (_, n) => {
    const name = database(n + 1);
    return `<${name}>${filters.join("")}</${name}>`;
  });
  return { config: configOf([shard("127.0.0.1"), shard("127.0.0.1")]), users: usersOf(databases) };
}
