/**
 * @module ClickhouseAlone: statements for a cluster as one engine without Keeper runs them. What is
 * for shards stays: `Distributed` tables and the settings of questions over them are the
 * engine's own. What is for replicas goes.
 */

/** The statement for one engine; undefined where nothing is left of it. */
export function alone(sql: string): string | undefined {
  if (sql.startsWith("SYSTEM SYNC REPLICA")) return undefined;
  return sql
    .replace(/ ON CLUSTER '[^']*'/, "")
    .replace(/Replicated(\w*MergeTree)\('[^']*', '[^']*'(?:, )?/, "$1(")
    .replace(/ replicated_deduplication_window/, " non_replicated_deduplication_window");
}

/** Settings of a request that an engine without a network can follow. */
export function clusterSettings(
  requested: URLSearchParams,
): readonly (readonly [string, string])[] {
  // The others would have it connect to itself, or wait for replicas.
  const followed = ["distributed_foreground_insert", "distributed_product_mode"];
  return [...requested].filter(([name]) => followed.includes(name));
}
