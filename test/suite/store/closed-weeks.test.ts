/**
 * @module Closed weeks: the embedded engine merges the parts of a week of turns into one when
 * nothing was written into it for a while, and leaves the others alone.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { clickhouse, lentEngineOf } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

import { readAnswer } from "../../../packages/store/src/clickhouse/engine-client.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

test("a week without writes becomes one part", { timeout: 120_000 }, async () => {
  const store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const engine = lentEngineOf(store);
  if (engine === undefined) throw new Error("the engine is embedded");
  const read = async (sql: string): Promise<readonly unknown[]> => [
    ...(readAnswer(await engine.select(sql)).columns.get("n") ?? []),
  ];
  const set = "create_table_query LIKE '%min_age_to_force_merge_seconds = 21600%'";
  expect(
    await read(`SELECT toString(count()) AS n FROM system.tables
WHERE name = 'turn_ledger' AND ${set} AND create_table_query LIKE '%partition_only = 1%'`),
  ).toEqual(["1"]);
  await engine.command("ALTER TABLE turn_ledger MODIFY SETTING min_age_to_force_merge_seconds = 3");
  const write = (day: string, key: number): Promise<void> =>
    engine.command(`INSERT INTO turn_ledger (key, version, first_received)
VALUES ('key${key}', 1, '${day} 00:00:00')`);
  // Fewer parts than the engine merges by itself.
  for (const key of [1, 2, 3]) await write("2026-05-04", key);
  const parts = (day: string): Promise<readonly unknown[]> =>
    read(`SELECT toString(count()) AS n FROM system.parts
WHERE database = currentDatabase() AND table = 'turn_ledger' AND active AND partition = '${day}'`);
  const until = performance.now() + 60_000;
  for (let key = 4; performance.now() < until; key += 1) {
    await write("2026-05-11", key);
    if ((await parts("2026-05-04"))[0] === "1") break;
    await sleep(1_000);
  }
  expect(await parts("2026-05-04")).toEqual(["1"]);
  expect(Number((await parts("2026-05-11"))[0])).toBeGreaterThan(1);
  expect(
    await read(
      "SELECT DISTINCT key AS n FROM turn_ledger FINAL WHERE first_received < '2026-05-11' ORDER BY n",
    ),
  ).toEqual(["key1", "key2", "key3"]);
  await store.close();
});
