/**
 * @module Verdict reasons: turns of an older version have no column of them. Theirs are unknown and
 * never guessed; the next judgement of a turn fills them.
 */
import { join } from "node:path";

import { clickhouse, filesystem, lentEngineOf, mongodb, postgres } from "@turnproof/store";
import type { EvidenceStore, TurnCondition, TurnRecord } from "@turnproof/store";
import { allTenants, sampleRecord } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";

import { openSqlite } from "../../../packages/store/src/sqlite/sqlite-database.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import { startPglite } from "../../servers/pglite.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const partial = { verdict: "partial", finding_codes: [] };
const record = (key: string, rows: number, reasons?: readonly string[]): TurnRecord =>
  sampleRecord(key, reasons === undefined ? partial : { ...partial, verdict_reasons: reasons }, {
    epoch: 0,
    rows,
    settled: true,
  });

/** Two turns as an older version wrote them; a test then takes the column away. */
const fill = ({ ledger }: EvidenceStore): Promise<void> =>
  ledger.putTurns([record("old", 1), record("again", 1)]);

/** Turns without a reason, with a loss, and with known reasons, and their counts by value. */
async function answers({ ledger }: EvidenceStore): Promise<readonly unknown[]> {
  const count = (...where: readonly TurnCondition[]): Promise<number> =>
    ledger.countTurns({ scope: allTenants, where });
  const facets = await ledger.turnFacets({ scope: allTenants, where: [] }, ["reason"], 9);
  return [
    await count({ list: "reason", has: null }),
    await count({ list: "reason", has: "known_loss" }),
    await count({ list: "flag", has: "reasons" }),
    facets.map(({ values }) => values.map(({ value, turns }) => [value, turns])).flat(),
  ];
}

async function expectUnknown(store: EvidenceStore): Promise<void> {
  expect(await answers(store)).toEqual([2, 0, 0, [[null, 2]]]);
  await store.ledger.putTurns([record("again", 2, ["known_loss"])]);
  expect(await answers(store)).toEqual([
    1,
    1,
    1,
    [
      [null, 1],
      ["known_loss", 1],
    ],
  ]);
}

test("SQLite: a file of an older version has none, and is brought up once", async () => {
  const directory = await directories.make();
  const first = await filesystem({ directory });
  await fill(first.evidence);
  await first.evidence.close();
  const file = join(directory, "evidence.sqlite");
  const database = openSqlite(file);
  database.exec(`UPDATE turns SET unsaid = unsaid & ~${2 ** 14}; PRAGMA user_version = 4`);
  database.close();
  for (const round of ["brought up", "opened again"]) {
    const { evidence } = await filesystem({ directory });
    if (round === "brought up") await expectUnknown(evidence);
    else expect((await answers(evidence)).slice(0, 3)).toEqual([1, 1, 1]);
    await evidence.close();
  }
});

test("PostgreSQL: a table of an older version has none", async () => {
  const engine = await startPglite();
  const first = await postgres({ client: engine });
  await fill(first.evidence);
  await first.evidence.close();
  await engine.exec(`ALTER TABLE turn_ledger DROP COLUMN reason_list;
DELETE FROM turnproof_migrations WHERE version = 15`);
  const { evidence } = await postgres({ client: engine });
  await expectUnknown(evidence);
  await evidence.close();
  await engine.close();
});

test("MongoDB: documents of an older version have none", async () => {
  const databases = await openMongo();
  const { name } = databases.other();
  const url = `${databases.url}/${name}`;
  {
    await using first = await mongodb({ url });
    await fill(first.evidence);
  }
  const client = new MongoClient(databases.url);
  await client
    .db(name)
    .collection("turn_ledger")
    .updateMany({}, { $unset: { reason_list: "" } });
  await client.close();
  {
    await using provider = await mongodb({ url });
    await expectUnknown(provider.evidence);
  }
  await databases.close();
});

test("ClickHouse: parts of an older version have none", async () => {
  const dataDir = await directories.make();
  const first = await clickhouse({ connection: { dataDir } });
  await fill(first);
  const engine = lentEngineOf(first);
  for (const sql of [
    "ALTER TABLE turn_ledger DROP COLUMN reason_set",
    "ALTER TABLE turn_ledger DROP COLUMN reason_list",
    "ALTER TABLE migrations DELETE WHERE version = 22 SETTINGS mutations_sync = 2",
  ])
    await engine?.command(sql);
  await first.close();
  const store = await clickhouse({ connection: { dataDir } });
  await expectUnknown(store);
  await store.close();
});
