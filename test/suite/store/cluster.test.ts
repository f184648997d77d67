/**
 * @module A cluster: what is changed is changed on every server, every statement is the engine's
 * own language, rows lie on the shards that the engine would choose, and tables of other shards are
 * refused. The contract over two shards is in contract-clickhouse-cluster.test.ts.
 */
import { readFile } from "node:fs/promises";

import { createClient } from "@clickhouse/client";
import { clickhouse, tenantText } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { clickhouseAdmin, defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import {
  allTenants,
  receivedAt,
  sampleEvent,
  sampleNote,
  sampleTurn,
} from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import {
  batchNumber,
  bundleRows,
  encodeRows,
  rootHash,
} from "../../../packages/store/src/clickhouse/bundle-table.ts";
import { forCluster, hasTables } from "../../../packages/store/src/clickhouse/cluster-tables.ts";
import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";
import { readMigrations } from "../../../packages/store/src/clickhouse/migration.ts";
import { recordsOf } from "../../../packages/store/src/ledger/turn-records.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";
import { shardsAt, twoShards } from "./cluster-config.ts";
import { checkStatements } from "./cluster-statements.ts";

let server: ClickhouseServer;
beforeAll(async () => {
  server = await startClickhouseServer(twoShards((n) => `cluster_${n}`));
});
afterAll(() => server.close());

const connectionTo = (database: string) => ({ url: server.url, database, cluster: "main" });

async function rowsOf(url: string, query: string): Promise<readonly Record<string, unknown>[]> {
  const client = createClient({ url });
  try {
    const result = await client.query({ query, format: "JSONEachRow" });
    return await result.json<Record<string, unknown>>();
  } finally {
    await client.close();
  }
}

const roots = Array.from({ length: 12 }, (_, at) => `root-${at}`);

async function fill(store: EvidenceStore): Promise<void> {
  for (const [at, root] of roots.entries()) {
    const events = sampleTurn(root, { user_id: at % 2 === 0 ? "ann" : "bob", agent_id: "a" });
    await store.append({ batchId: `batch ${root}`, receivedAt: receivedAt(at), events });
    const page = await store.root(allTenants, root, { limit: 100 });
    const version = { epoch: 0, rows: events.length, settled: true };
    await store.ledger.putTurns(recordsOf(page.events, version));
  }
}

const question = { scope: allTenants, where: [] };

test(
  "a deleted user and what is past its age go from every shard",
  { timeout: 180_000 },
  async () => {
    await server.statements();
    const connection = connectionTo("cluster_1");
    await using store = await clickhouse({ connection });
    await fill(store);
    const noted = roots.map((root) => sampleNote(`note on ${root}`, { place: root }));
    for (const note of noted) await store.operatorRows.write(note);
    const others = sampleNote("of bob", { tenant: tenantText("bob"), place: roots[0] ?? "" });
    await store.operatorRows.write(others);
    expect(await store.ledger.countTurns(question)).toBe(roots.length);
    const shards = await rowsOf(
      server.url,
      "SELECT DISTINCT root % 2 AS n FROM cluster_1.bundles_local",
    );
    expect(shards).toHaveLength(2);

    const report = await deleteUserEvidence(store, { userId: "ann", dryRun: false });
    expect(report.complete).toBe(true);
    expect(await store.ledger.countTurns(question)).toBe(roots.length / 2);
    const { events } = await store.page(allTenants, {}, { limit: 1_000 });
    expect(new Set(events.map(({ user_id: user }) => user))).toEqual(new Set(["bob"]));
    const stated = await rowsOf(
      server.url,
      `SELECT countIf(position(body, 'ann') > 0) AS named, (SELECT count() FROM cluster_1.turn_ledger_local
      FINAL WHERE position(record, '"ann"') > 0) AS turns FROM cluster_1.bundles_local`,
    );
    expect(stated.map(({ named, turns }) => [Number(named), Number(turns)])).toEqual([[0, 0]]);
    await using admin = await clickhouseAdmin({ connection });
    const now = "2031-01-01T00:00:00.000Z";
    expect(await admin.evidence({ policy: defaultRetention, now, dryRun: false })).toMatchObject({
      complete: true,
    });
    expect(await store.ledger.countTurns(question)).toBe(0);
    for (const table of ["bundles_local", "turn_ledger_local FINAL", "operator_rows_local"]) {
      expect(await rowsOf(server.url, `SELECT 1 FROM cluster_1.${table}`)).toEqual([]);
    }

    const kept = sampleNote("kept");
    await store.operatorRows.write(kept);
    expect(await store.operatorRows.remove(kept)).toBe(true);
    expect(await store.operatorRows.list("note", [kept.tenant], kept.place)).toEqual([]);
    await store.ledger.turnFacets(question, ["agent_id", "release"], 10);
    await store.ledger.turnFigures(question, { by: "agent_id", everyMs: 60_000 });
    await store.ledger.callFigures(question, "tool", ["name"]);
    await store.shortRoots(allTenants, null);
    await store.quietRoots(receivedAt(0), receivedAt(100), 10);
    await store.check();
    const changes = await checkStatements(server.url, await server.statements());
    expect(changes).toEqual(["ALTER", "CREATE", "DROP", "SYSTEM"]);
  },
);

test("tables of one shard get their local name; other shards are refused", async () => {
  const database = "cluster_2";
  const client = createClient({ url: server.url });
  await client.command({ query: `CREATE DATABASE ${database}` });
  // As the version before left them: plain names, made for a cluster of one shard.
  for (const { statements } of await readMigrations()) {
    for (const sql of statements) {
      const query = sql.replace(/^(\w+ TABLE (?:IF NOT EXISTS )?)/, `$1${database}.`);
      await client.command({ query });
    }
  }
  await using store = await clickhouse({ connection: connectionTo(database) });
  await fill(store);
  expect(await store.ledger.countTurns(question)).toBe(roots.length);
  const made = `SELECT name FROM system.tables WHERE database = '${database}' AND engine = 'Distributed'`;
  expect(await rowsOf(server.url, made)).toHaveLength(7);
  // The tables hold that they were made for three shards.
  await client.command({ query: `ALTER TABLE ${database}.bundles MODIFY COMMENT 'shards 1,1,1'` });
  const other = clickhouse({ connection: connectionTo(database) });
  await expect(other).rejects.toMatchObject({ code: "config_invalid" });
  const unknown = clickhouse({ connection: { ...connectionTo(database), cluster: "other" } });
  await expect(unknown).rejects.toMatchObject({ code: "config_invalid" });
  await client.close();
});

/** A batch of one event for each root, as one block. */
function blockOf(names: readonly string[], batchId: string) {
  const events = names.map((root_trace_id) => sampleEvent("s", { root_trace_id }));
  const stored = events.map((event) => ({ ...event, received_at: receivedAt(1) }));
  const rows = bundleRows(stored);
  const [week] = encodeRows([
    { number: batchNumber(batchId), events: names.length, words: [], rows },
  ]);
  if (week === undefined) throw new Error("no rows");
  return week.block;
}

/** Makes the tables on this server alone. */
async function makeTables(engine: Engine, database: string, weights: readonly number[]) {
  const layout = { cluster: "main", database, weights };
  for (const { statements } of await readMigrations(layout)) {
    for (const sql of statements) await engine.command(sql);
  }
}

test("rows go straight to the server of their shard, and once", { timeout: 60_000 }, async () => {
  const database = "direct";
  await using first = await startClickhouseServer(shardsAt(["127.0.0.1", "127.0.0.2"]));
  const port = Number(new URL(first.url).port);
  // Each takes the address 127.0.0.1 for its own.
  const config = shardsAt(["127.0.0.9", "127.0.0.1"]);
  await using second = await startClickhouseServer({ ...config, host: "127.0.0.2", port });
  const connection = { database, cluster: "main" };
  const engine = await openEngine({ ...connection, url: first.url });
  const other = await openEngine({ ...connection, url: second.url });
  await makeTables(engine, database, [1, 1]);
  await makeTables(other, database, [1, 1]);
  await engine.insert("bundles", blockOf(roots, "one"), "token");
  await engine.insert("bundles", blockOf(roots, "one"), "token");
  const query = `SELECT root_trace_id AS root FROM ${database}.bundles_local`;
  const found: (readonly string[])[] = [];
  for (const { url } of [first, second]) {
    found.push((await rowsOf(url, query)).map(({ root }) => String(root)).toSorted());
  }
  const wanted = [0, 1].map((shard) =>
    roots.filter((root) => rootHash(root) % 2 === shard).toSorted(),
  );
  expect(found).toEqual(wanted);
  expect(wanted.every(({ length }) => length > 0)).toBe(true);
  await engine.close();
  await other.close();
});

test(
  "a row belongs to the shard that the engine would send it to",
  { timeout: 60_000 },
  async () => {
    // No server answers for the second shard, so the engine can store rows of the first alone.
    const database = "placed";
    const options = shardsAt(["127.0.0.1", "127.0.0.2"], [2, 1]);
    await using one = await startClickhouseServer(options);
    const engine = await openEngine({ url: one.url, database });
    await makeTables(engine, database, [2, 1]);
    const stored: string[] = [];
    for (const root of roots) {
      const settings = "distributed_foreground_insert = 1";
      const insert = `INSERT INTO bundles (root, root_trace_id) SETTINGS ${settings}
      SELECT ${rootHash(root)}, '${root}'`;
      await engine.command(insert).then(
        () => stored.push(root),
        () => {},
      );
    }
    expect(stored).toEqual(roots.filter((root) => rootHash(root) % 3 < 2));
    expect(stored.length).toBeLessThan(roots.length);
    // A server that is away keeps no collector from starting: its tables are not required.
    const layout = { cluster: "main", database, weights: [2, 1] };
    expect(await hasTables(engine, layout)).toBe(false);
    for (const name of ["migrations", "migrations_local", "events"]) {
      await engine.command(`CREATE VIEW ${name} AS SELECT 1 AS one`);
    }
    expect(await hasTables(engine, layout)).toBe(true);
    await engine.close();
  },
);

test("the hash of a root is one, by its name and in its column", async () => {
  const layout = { cluster: "main", database: "d", weights: [1] };
  const [, over = ""] = forCluster("CREATE TABLE IF NOT EXISTS turn_ledger", layout);
  const key = /_local', (.*)\)$/m.exec(over)?.[1] ?? "";
  for (const root of ["", "root-1", "ü💩"]) {
    const query = `SELECT ${key} AS hash FROM (SELECT '${root}' AS root_trace_id)`;
    expect(await rowsOf(server.url, query)).toEqual([{ hash: rootHash(root) }]);
  }
});

test("a server that came later gets the tables, and nothing is said to all otherwise", async () => {
  const connection = connectionTo("cluster_3");
  await (await clickhouse({ connection })).close();
  await server.statements();
  await (await clickhouse({ connection })).close();
  const stated = await server.statements();
  expect(stated.filter((sql) => sql.includes("ON CLUSTER"))).toEqual([]);
  const client = createClient({ url: server.url });
  for (const name of ["turn_ledger", "bundles_local", "events"]) {
    await client.command({ query: `DROP TABLE cluster_3.${name}` });
  }
  await using store = await clickhouse({ connection });
  await fill(store);
  expect(await store.ledger.countTurns(question)).toBe(roots.length);
  const made = "SELECT count() AS n FROM system.tables WHERE database = 'cluster_3'";
  expect(await rowsOf(server.url, made)).toEqual([{ n: 17 }]);
  await client.close();
});

test("evidence is copied to other shards as the page says", { timeout: 60_000 }, async () => {
  const [from, to] = ["cluster_4", "cluster_5"];
  const page = await readFile(new URL("../../../docs/operate/scaling.md", import.meta.url), "utf8");
  const [ledger = "", bundles = ""] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(
    ([, sql]) => sql,
  );
  const others = ["root_epochs", "operator_rows"].map((name) =>
    ledger.replaceAll("turn_ledger", name),
  );
  await using store = await clickhouse({ connection: connectionTo(from) });
  await fill(store);
  const note = sampleNote("note");
  await store.operatorRows.write(note);
  await using copy = await clickhouse({ connection: connectionTo(to) });
  const client = createClient({ url: server.url });
  for (const sql of [ledger, ...others, bundles]) {
    const query = sql.replaceAll("new.", `${to}.`).replaceAll("old.", `${from}.`);
    await client.command({ query: query.trim().replace(/;$/, "") });
  }
  await client.close();
  expect(await copy.ledger.countTurns(question)).toBe(roots.length);
  expect(await copy.operatorRows.list("note", [note.tenant], note.place)).toEqual([note]);
  const limit = { limit: 1_000 };
  const whole = await store.page({ tenant: "ann" }, {}, limit);
  expect((await copy.page({ tenant: "ann" }, {}, limit)).events).toEqual(whole.events);
  expect(whole.events.length).toBeGreaterThan(roots.length);
});
