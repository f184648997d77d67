/**
 * @module A dry run of the migration on a ClickHouse server changes nothing, not even a database.
 */
import { createClient } from "@clickhouse/client";
import { clickhouse } from "@turnproof/store";
import { clickhouseAdmin } from "@turnproof/store/admin";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";

let server: ClickhouseServer;
beforeAll(async () => {
  server = await startClickhouseServer();
});
afterAll(() => server.close());

const changes = async (): Promise<readonly string[]> =>
  (await server.statements()).filter((sql) => !/^\s*(SELECT|SHOW|EXISTS)/i.test(sql));

test("no database is made", async () => {
  await server.statements();
  const connection = { url: server.url, database: "absent" };
  const opened = clickhouseAdmin({ connection, mayChange: false });
  await expect(opened).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await changes()).toEqual([]);
});

test("tables are read, and data of a newer version is refused", async () => {
  const connection = { url: server.url, database: "present" };
  await (await clickhouse({ connection })).close();
  await server.statements();
  {
    await using admin = await clickhouseAdmin({ connection, mayChange: false });
    expect(await admin.copyOld?.()).toMatchObject({ dry_run: true, copied: 0 });
    await admin.checkOld?.();
  }
  expect(await changes()).toEqual([]);
  const client = createClient(connection);
  await client.command({ query: "INSERT INTO migrations (version, name) VALUES (999, 'later')" });
  await client.close();
  const opened = clickhouseAdmin({ connection, mayChange: false });
  await expect(opened).rejects.toMatchObject({ code: "store_version_newer" });
});
