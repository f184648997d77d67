/** @module Tests of migration texts: how they are split, and the statements for a cluster. */
import { expect, test } from "vitest";

import { forCluster } from "./cluster-tables.ts";
import { readMigrations, statementsOf } from "./migration.ts";

test("statements end at a semicolon that ends a line; comments go", () => {
  expect(statementsOf("-- one; two;\nCREATE a\n(x);\n\nCREATE b;\n")).toEqual([
    "CREATE a\n(x)",
    "CREATE b",
  ]);
});

const layout = { cluster: "main", database: "traces", weights: [1, 2] };

test("a cluster gets every table on every node, replicated, and one over its shards", async () => {
  const migrations = await readMigrations(layout);
  expect(migrations.map(({ version, name }) => [version, name])).toEqual([
    [9, "turn_ledger"],
    [10, "bundles"],
    [11, "merges"],
    [12, "closed_weeks"],
    [13, "turn_sets"],
    [14, "call_usage"],
    [15, "packed_records"],
    [16, "own_time"],
    [17, "collector_state"],
    [18, "contract_results"],
    [19, "operator_rows"],
    [20, "received_index"],
    [21, "own_range"],
    [22, "verdict_reasons"],
  ]);
  const all = migrations.flatMap((migration) => migration.statements);
  const statements = all.filter((sql) => sql.startsWith("CREATE"));
  expect(all.filter((sql) => !sql.startsWith("CREATE")).map((sql) => sql.split("\n")[0])).toEqual([
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE bundles_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    // A column is added to the local table, then to the one over the shards.
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE bundles_local ON CLUSTER 'main'",
    "ALTER TABLE bundles ON CLUSTER 'main'",
    "ALTER TABLE bundles_local ON CLUSTER 'main'",
    "ALTER TABLE bundles_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger_local ON CLUSTER 'main'",
    "ALTER TABLE turn_ledger ON CLUSTER 'main'",
  ]);
  const heads = statements.map((sql) => sql.split("\n")[0]);
  const engines = statements.map((sql) => /^ENGINE = .*$/m.exec(sql)?.[0]);
  const tables = [
    "turn_ledger",
    "bundles",
    "root_epochs",
    "copied_slices",
    "collector_state",
    "operator_rows",
  ];
  const create = "CREATE TABLE IF NOT EXISTS";
  expect(heads).toEqual(
    tables.flatMap((table) => [
      `${create} ${table}_local ON CLUSTER 'main'`,
      `${create} ${table} ON CLUSTER 'main' AS ${table}_local`,
    ]),
  );
  const path = (table: string): string =>
    `'/clickhouse/tables/{shard}/{database}/${table}', '{replica}'`;
  const root = "murmurHash3_32(concat('id:', root_trace_id))";
  const over = (table: string, key: string): string =>
    `ENGINE = Distributed('main', 'traces', '${table}_local', ${key})`;
  expect(engines).toEqual([
    `ENGINE = ReplicatedReplacingMergeTree(${path("turn_ledger")}, version, gone)`,
    over("turn_ledger", root),
    `ENGINE = ReplicatedMergeTree(${path("bundles")})`,
    over("bundles", "root"),
    `ENGINE = ReplicatedReplacingMergeTree(${path("root_epochs")}, epoch)`,
    over("root_epochs", "root"),
    `ENGINE = ReplicatedReplacingMergeTree(${path("copied_slices")})`,
    over("copied_slices", "murmurHash3_32(slice)"),
    `ENGINE = ReplicatedReplacingMergeTree(${path("collector_state")}, version)`,
    over("collector_state", "murmurHash3_32(name)"),
    `ENGINE = ReplicatedReplacingMergeTree(${path("operator_rows")}, version)`,
    over("operator_rows", "murmurHash3_32(id)"),
  ]);
  expect(statements[2]).toContain(" replicated_deduplication_window = 10000");
});

test("a cluster name is a word", () => {
  const statement = "CREATE TABLE IF NOT EXISTS bundles";
  expect(() => forCluster(statement, { ...layout, cluster: "x' --" })).toThrow("config_invalid");
});

test("a table without a shard key is refused", () => {
  expect(() => forCluster("CREATE TABLE IF NOT EXISTS other (a UInt8)", layout)).toThrow(/shard/);
});
