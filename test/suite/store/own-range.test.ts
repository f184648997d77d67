/**
 * @module Own range: rows of an older version have no range of their events' own times. They are
 * found by every range; in ClickHouse a mutation gives them theirs, and granules are skipped by it.
 */
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse, filesystem, lentEngineOf, mongodb, postgres } from "@turnproof/store";
import type { EvidenceStore, LentEngine } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";

import { readAnswer } from "../../../packages/store/src/clickhouse/engine-client.ts";
import { readMigrations } from "../../../packages/store/src/clickhouse/migration.ts";
import { openSqlite } from "../../../packages/store/src/sqlite/sqlite-database.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import { startPglite } from "../../servers/pglite.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const times = ["2026-03-01T10:00:00.5Z", "2019-03-01T10:00:00.000000001Z", "2026-03-01T12:00:00Z"];

const eventAt = (root: string, n: number, timestamp: string): TurnEvent =>
  sampleEvent(`s-${n}`, { root_trace_id: root, timestamp });

/** One root whose times are hours apart, and one beside it. */
async function fill(store: EvidenceStore): Promise<void> {
  const events = times.map((time, n) => eventAt("old", n, time));
  await store.append({ batchId: "1", receivedAt: receivedAt(1), events });
  const other = [eventAt("other", 9, "2026-03-01T11:00:00.000000000Z")];
  await store.append({ batchId: "2", receivedAt: receivedAt(2), events: other });
}

const dayOf = (time: string): string => time.slice(0, 13);

/** Each event is found by its own hour; a new row of an old root as well. */
async function expectFound(store: EvidenceStore): Promise<void> {
  await store.append({
    batchId: "3",
    receivedAt: receivedAt(3),
    events: [eventAt("old", 8, "2026-03-01T13:00:00Z")],
  });
  const hours = [...times, "2026-03-01T11:00:00Z", "2026-03-01T13:00:00Z"].map(dayOf);
  for (const hour of hours) {
    const query = { start_time: `${hour}:00:00Z`, end_time: `${hour}:30:00Z` };
    const { events } = await store.page(allTenants, query, { limit: 9 });
    expect(events.map(({ timestamp }) => dayOf(timestamp))).toEqual([hour]);
  }
  const none = { start_time: "2027-03-01T00:00:00Z" };
  expect((await store.page(allTenants, none, { limit: 9 })).events).toEqual([]);
}

test("SQLite: a root of an older version is found by every range", async () => {
  const directory = await directories.make();
  const first = await filesystem({ directory });
  await fill(first.evidence);
  await first.evidence.close();
  const database = openSqlite(join(directory, "evidence.sqlite"));
  for (const name of ["own_from", "own_to"]) database.exec(`ALTER TABLE roots DROP COLUMN ${name}`);
  database.exec("PRAGMA user_version = 3");
  database.close();
  const { evidence } = await filesystem({ directory });
  await expectFound(evidence);
  await evidence.close();
});

test("PostgreSQL: a root of an older version is found by every range", async () => {
  const engine = await startPglite();
  const first = await postgres({ client: engine });
  await fill(first.evidence);
  await first.evidence.close();
  await engine.exec(`ALTER TABLE evidence_roots DROP COLUMN own_from, DROP COLUMN own_to;
DELETE FROM turnproof_migrations WHERE version = 13`);
  const { evidence } = await postgres({ client: engine });
  await expectFound(evidence);
  await evidence.close();
  await engine.close();
});

test("MongoDB: a document of an older version is found by every range", async () => {
  const databases = await openMongo();
  const { url } = databases.other();
  const { evidence } = await mongodb({ url });
  await fill(evidence);
  const client = await MongoClient.connect(url);
  const bundles = client.db().collection("evidence_bundles");
  await bundles.updateMany({}, { $unset: { own_from: "", own_to: "" } });
  await client.close();
  await expectFound(evidence);
  await evidence.close();
  await databases.close();
});

async function rowsOf(engine: LentEngine, sql: string): Promise<readonly (readonly unknown[])[]> {
  const { columns } = readAnswer(await engine.select(sql));
  const lists = [...columns.values()];
  return (lists[0] ?? []).map((_value, at) => lists.map((list) => list[at]));
}

test("ClickHouse: a row of an older version is found, and a mutation gives it its range", async () => {
  const store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const engine = lentEngineOf(store);
  if (engine === undefined) throw new Error("the engine is embedded");
  const plain = ["a", "b"].map((root, n) =>
    eventAt(root, n, `2026-04-0${n + 1}T10:00:59.999999999Z`),
  );
  await fill(store);
  await store.append({ batchId: "4", receivedAt: receivedAt(4), events: plain });
  const ranges = `SELECT root_trace_id, toString(own_from), toString(own_to) FROM bundles
ORDER BY root_trace_id, own_from`;
  const written = await rowsOf(engine, ranges);
  const second = (time: string): string => String(Date.parse(time) / 1_000);
  expect(written[0]).toEqual(["a", second("2026-04-01T10:00:59Z"), second("2026-04-01T10:00:59Z")]);
  const [, , mutation = ""] =
    (await readMigrations()).find(({ version }) => version === 21)?.statements ?? [];
  const any = ["-9007199254740991", "9007199254740991"];
  await engine.command(
    `ALTER TABLE bundles UPDATE own_from = ${any[0]}, own_to = ${any[1]} WHERE true SETTINGS mutations_sync = 2`,
  );
  expect((await rowsOf(engine, ranges)).map(([, ...range]) => range)).toEqual(
    written.map(() => any),
  );
  await expectFound(store);
  await engine.command(`${mutation} SETTINGS mutations_sync = 2`);
  const after = await rowsOf(engine, ranges);
  // Times with other digits than nine are texts: such rows keep any time.
  expect(after.filter(([root]) => root === "a" || root === "b" || root === "other")).toEqual(
    written
      .filter(([root]) => root !== "old")
      .map(([root, from, to]) => [root, String(Number(from) - 1), to]),
  );
  expect(after.find(([root]) => root === "old")?.slice(1)).toEqual(any);
  await store.close();
});

/** Roots an hour apart, each with one event of that time. */
const hourly = Array.from({ length: 1_024 }, (_, n) =>
  eventAt(`root-${n}`, n, new Date(Date.UTC(2026, 0, 1, n)).toISOString()),
);
/** The seconds of one of these hours. */
const [hourFrom, hourTo] = [512, 512.5].map((hour) => Date.UTC(2026, 0, 1) / 1_000 + hour * 3_600);

test("ClickHouse skips granules by the index", async () => {
  const store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const engine = lentEngineOf(store);
  if (engine === undefined) throw new Error("the engine is embedded");
  // The table lies in the order of receipt, here that of the events.
  for (let at = 0; at < hourly.length; at += 64) {
    const events = hourly.slice(at, at + 64);
    await store.append({ batchId: `${at}`, receivedAt: receivedAt(at), events });
  }
  await engine.command("OPTIMIZE TABLE bundles FINAL");
  const plan = await rowsOf(
    engine,
    `EXPLAIN indexes = 1 SELECT root FROM bundles WHERE own_to >= ${hourFrom} AND own_from <= ${hourTo}`,
  );
  expect(plan.flat().join("\n")).toMatch(/Name: by_own_from[^]*?Granules: \d+\/\d+/);
  expect(plan.flat().join("\n")).toMatch(/Name: by_own_to[^]*?Granules: [14]\//);
  await store.close();
});

test("PostgreSQL finds the roots of a narrow range by the index", async () => {
  const engine = await startPglite();
  const { evidence } = await postgres({ client: engine });
  await evidence.append({ batchId: "1", receivedAt: receivedAt(1), events: hourly });
  await engine.exec("ANALYZE evidence_roots");
  const { rows } = await engine.query(
    `EXPLAIN SELECT root FROM evidence_roots
WHERE int8range(own_from, own_to, '[]') && int8range(${hourFrom}, ${hourTo}, '[]')
ORDER BY last_us DESC, root DESC LIMIT 64`,
  );
  expect(JSON.stringify(rows)).toContain("evidence_roots_own");
  await evidence.close();
  await engine.close();
});
