/**
 * @module Naming: runs of one time name what they delete apart, and names that a killed run left
 * behind go with the next one.
 */
import { afterAll, expect, test } from "vitest";

import { mutate } from "../../../packages/store/src/clickhouse/cluster-tables.ts";
import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { makeTables } from "../../../packages/store/src/clickhouse/migration.ts";
import { withNames } from "../../../packages/store/src/clickhouse/naming.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

test("each run sees its own names, and none is left", async () => {
  const engine = await openEngine({ dataDir: await directories.make() });
  const read = async (sql: string): Promise<unknown> =>
    (await engine.query(`SELECT * FROM (${sql}) ORDER BY 1`)).columns.values().next().value;
  const tables = { engine, cluster: undefined };
  await withNames(tables, { roots: ["a", "b"] }, async (one) => {
    await withNames(tables, { roots: ["c"], tenant: "id:x" }, async (other) => {
      expect(await read(one.roots)).toEqual(["a", "b"]);
      expect(await read(other.roots)).toEqual(["c"]);
      expect(await read(`SELECT DISTINCT * FROM (${other.tenants})`)).toEqual(["id:x"]);
    });
    expect(await read(one.roots)).toEqual(["a", "b"]);
  });
  const failed = withNames(tables, { roots: ["a"] }, () => Promise.reject(new Error("ended")));
  await expect(failed).rejects.toThrow("ended");
  const named = "SELECT name FROM system.tables WHERE name LIKE 'naming%'";
  expect((await engine.query(named)).rows).toBe(0);

  for (const table of ["naming", "naming_0123456789abcdef"]) {
    await engine.command(`CREATE TABLE ${table} (root String) ENGINE = MergeTree ORDER BY root`);
  }
  await withNames(tables, {}, () => Promise.resolve());
  expect((await engine.query(named)).rows).toBe(0);
  await engine.close();
});

test("a change that a killed run began holds up no other", { timeout: 60_000 }, async () => {
  const engine = await openEngine({ dataDir: await directories.make() });
  const tables = { engine, cluster: undefined };
  await makeTables(tables);
  const forgotten = "naming_0123456789abcdef";
  const columns = "(root_trace_id String) ENGINE = MergeTree ORDER BY root_trace_id";
  await engine.command(`CREATE TABLE ${forgotten} ${columns}`);
  await engine.command(
    "INSERT INTO turn_ledger (key, root_trace_id) VALUES ('k', 'r'), ('l', 's')",
  );
  await engine.command("SYSTEM STOP MERGES turn_ledger");
  await engine.command(
    `ALTER TABLE turn_ledger DELETE WHERE root_trace_id IN (SELECT root_trace_id FROM ${forgotten})
SETTINGS mutations_sync = 0`,
  );
  await withNames(tables, { roots: ["r"] }, async (named) => {
    await engine.command("SYSTEM START MERGES turn_ledger");
    await mutate(tables, "turn_ledger", `root_trace_id IN (${named.roots})`);
  });
  const left = await engine.query("SELECT key FROM turn_ledger");
  expect(left.columns.get("key")).toEqual(["l"]);
  await engine.close();
});
