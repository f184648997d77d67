/** @module Tests of migration texts: how they are cut, and what a cluster gets. */
import { expect, test } from "vitest";

import { forCluster, readMigrations, statementsOf } from "./migration.ts";

test("statements end at a semicolon that ends a line; comments go", () => {
  expect(statementsOf("-- one; two;\nCREATE a\n(x);\n\nCREATE b;\n")).toEqual([
    "CREATE a\n(x)",
    "CREATE b",
  ]);
});

test("a cluster gets every table on every node, replicated", async () => {
  const migrations = await readMigrations("main");
  expect(migrations.map(({ version, name }) => [version, name])).toEqual([
    [9, "turn_ledger"],
    [10, "bundles"],
  ]);
  const statements = migrations.flatMap((migration) => migration.statements);
  const heads = statements.map((sql) => sql.split("\n")[0]);
  const engines = statements.map((sql) => /^ENGINE = .*$/m.exec(sql)?.[0]);
  const path = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
  expect(heads).toEqual(
    ["turn_ledger", "bundles", "root_epochs", "copied_slices", "verdicts"].map(
      (table) => `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER 'main'`,
    ),
  );
  expect(engines).toEqual([
    `ENGINE = ReplicatedReplacingMergeTree(${path}, version, gone)`,
    `ENGINE = ReplicatedMergeTree(${path})`,
    `ENGINE = ReplicatedReplacingMergeTree(${path}, epoch)`,
    `ENGINE = ReplicatedReplacingMergeTree(${path})`,
    `ENGINE = ReplicatedReplacingMergeTree(${path}, judged_nanos)`,
  ]);
  expect(statements[1]).toContain(" replicated_deduplication_window = 10000");
});

test("a cluster name is a word", () => {
  expect(() => forCluster("CREATE TABLE IF NOT EXISTS a", "x' --")).toThrow("config_invalid");
});
