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
  const [first, second, third, fourth, fifth, sixth, seventh, eighth] =
    await readMigrations("main");
  const heads = first?.statements.map((sql) => sql.split("\n")[0]);
  const engines = first?.statements.map((sql) => /^ENGINE = .*$/m.exec(sql)?.[0]);
  const path = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
  expect(heads).toEqual(
    ["events", "locate", "batches", "touched", "verdicts"].map(
      (table) => `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER 'main'`,
    ),
  );
  expect(engines).toEqual([
    `ENGINE = ReplicatedMergeTree(${path})`,
    `ENGINE = ReplicatedReplacingMergeTree(${path})`,
    `ENGINE = ReplicatedReplacingMergeTree(${path})`,
    `ENGINE = ReplicatedReplacingMergeTree(${path})`,
    `ENGINE = ReplicatedReplacingMergeTree(${path}, judged_nanos)`,
  ]);
  expect(second?.statements).toEqual([
    expect.stringMatching(/^ALTER TABLE events ON CLUSTER 'main' ADD INDEX IF NOT EXISTS called /),
  ]);
  expect(third?.statements).toEqual([
    expect.stringMatching(/^CREATE TABLE IF NOT EXISTS turns ON CLUSTER 'main'\n/),
    expect.stringMatching(/^INSERT INTO turns /),
  ]);
  expect(fourth?.statements).toEqual([
    expect.stringMatching(
      /^ALTER TABLE events ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS open_spans /,
    ),
  ]);
  expect(fifth?.statements).toEqual([
    expect.stringMatching(
      /^ALTER TABLE events ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS metric_texts /,
    ),
  ]);
  expect(sixth?.statements).toEqual([
    expect.stringMatching(
      /^ALTER TABLE events ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS unmarked /,
    ),
  ]);
  expect(seventh?.statements).toEqual([
    expect.stringMatching(
      /^ALTER TABLE events ON CLUSTER 'main'\n {4}ADD COLUMN IF NOT EXISTS temperature /,
    ),
  ]);
  expect(eighth?.statements).toEqual(
    ["events", "locate", "batches", "touched", "verdicts", "turns"].map(
      (table) => `ALTER TABLE ${table} ON CLUSTER 'main' MODIFY SETTING old_parts_lifetime = 15`,
    ),
  );
  expect(third?.statements[0]).toContain(`ENGINE = ReplicatedReplacingMergeTree(${path})`);
  expect(first?.statements[0]).toContain(" replicated_deduplication_window = 10000");
});

test("a cluster name is a word", () => {
  expect(() => forCluster("CREATE TABLE IF NOT EXISTS a", "x' --")).toThrow("config_invalid");
});
