/**
 * @module Received index: turns by their last receipt alone are found by an index, as the plan of
 * each engine shows; without one a list of an alert reads the whole ledger.
 */
import { clickhouse, lentEngineOf, postgres } from "@turnproof/store";
import type { TurnQuery } from "@turnproof/store";
import { allTenants, sampleRecord } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { readAnswer } from "../../../packages/store/src/clickhouse/engine-client.ts";
import { bindings as clickhouseBindings } from "../../../packages/store/src/clickhouse/sql-text.ts";
import { whereOf as clickhouseWhere } from "../../../packages/store/src/clickhouse/turn-where.ts";
import { bindings } from "../../../packages/store/src/postgres/sql-text.ts";
import { whereOf } from "../../../packages/store/src/postgres/turn-where.ts";
import { openSqlite } from "../../../packages/store/src/sqlite/sqlite-database.ts";
import { sqliteTurns } from "../../../packages/store/src/sqlite/sqlite-turns.ts";
import { whereSql } from "../../../packages/store/src/sqlite/turn-sql.ts";
import { startPglite } from "../../servers/pglite.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const received = (from: string, to?: string): TurnQuery => ({
  scope: allTenants,
  where: [{ time: "received_at", from, ...(to === undefined ? {} : { to }) }],
});
const lately = received("2026-05-04T00:30:00Z");
/**
 * One turn each second, a granule of ClickHouse each 512; all were received at their first receipt.
 */
const records = Array.from({ length: 2_048 }, (_, at) => {
  const received_at = new Date(Date.UTC(2026, 4, 4) + at * 1_000).toISOString();
  return { ...sampleRecord(`turn ${at}`, { received_at }), first_received: received_at };
});

const directories = temporaryDirectories();
afterAll(() => directories.remove());

test("SQLite searches the index", () => {
  const database = openSqlite(":memory:");
  sqliteTurns(database);
  const { sql, values } = whereSql(lately);
  const plan = database
    .prepare(`EXPLAIN QUERY PLAN SELECT count(*) FROM turns WHERE ${sql}`)
    .all(...values);
  expect(plan.map(({ detail }) => detail).join()).toMatch(/turns_received_at \(received_at>\?\)/);
  database.close();
});

test("PostgreSQL scans the index", async () => {
  const engine = await startPglite();
  const { evidence } = await postgres({ client: engine });
  await evidence.ledger.putTurns(records);
  await engine.exec("ANALYZE turn_ledger");
  const bind = bindings();
  const where = whereOf(received("2026-05-04T00:33:00Z"), bind);
  const { rows } = await engine.query(`EXPLAIN SELECT count(*) FROM turn_ledger WHERE ${where}`, [
    ...bind.parameters,
  ]);
  expect(JSON.stringify(rows)).toContain("turn_ledger_last_received");
  await evidence.close();
  await engine.close();
});

test("ClickHouse skips granules by the index", async () => {
  const store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const engine = lentEngineOf(store);
  if (engine === undefined) throw new Error("the engine is embedded");
  await store.ledger.putTurns(records);
  const read = async (question: TurnQuery): Promise<string> => {
    const where = clickhouseWhere(question, clickhouseBindings());
    const sql = `EXPLAIN indexes = 1 SELECT count() FROM turn_ledger FINAL WHERE ${where}`;
    return [...(readAnswer(await engine.select(sql)).columns.get("explain") ?? [])].join("\n");
  };
  expect(await read(lately)).toMatch(/Name: by_received_at[^]*?Granules: 1\/4/);
  const early = await read(received("2026-05-04T00:00:00Z", "2026-05-04T00:01:00Z"));
  expect(early).toMatch(/Name: by_received_at[^]*?Granules: 1\/4/);
  expect(await store.ledger.countTurns(lately)).toBe(248);
  await store.close();
});
