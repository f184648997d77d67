/** @module Erasure: a user's evidence and memory go whole, to the last byte; near names stay. */
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { memoryCollections } from "@turnproof/semconv";
import { clickhouse, ephemeral, filesystem, mongodb, postgres } from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore } from "@turnproof/store";
import { deleteUser, deleteUserEvidence } from "@turnproof/store/admin";
import { MongoClient } from "mongodb";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { startMongo } from "../../servers/mongodb.ts";
import { startPostgres } from "../../servers/postgres.ts";
import {
  expectGone,
  expectNothingLate,
  fillEvidence,
  fillMemory,
  gone,
  leftovers,
  mark,
  readEvidence,
  staying,
} from "./erasure-world.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** Deletes the user's evidence in two runs, the first of which ends early. */
async function eraseEvidence(store: EvidenceStore): Promise<void> {
  await fillEvidence(store);
  const before = await readEvidence(store);
  const plan = await deleteUserEvidence(store, { userId: gone });
  // Three turns of three rows; of the shared root two rows and one without a known owner; and a
  // note.
  expect(plan).toMatchObject({ dry_run: true, roots: 4, found: 13, deleted: 0 });
  expect(await readEvidence(store)).toEqual(before);
  const ended = await deleteUserEvidence(store, {
    userId: gone,
    dryRun: false,
    signal: AbortSignal.abort(),
  });
  expect(ended).toMatchObject({ deleted: 0, complete: false });
  const seen: number[] = [];
  const report = await deleteUserEvidence(store, {
    userId: gone,
    dryRun: false,
    onProgress: (done, all) => seen.push(done / all),
  });
  expect(report).toMatchObject({ found: 13, deleted: 13, kept: 3, complete: true });
  expect(seen.at(-1)).toBe(1);
  expect(await readEvidence(store)).toEqual(before);
  await expectGone(store);
  const again = await deleteUserEvidence(store, { userId: gone, dryRun: false });
  expect(again).toMatchObject({ roots: 0, found: 0, complete: true });
}

async function eraseMemory(memory: AdministeredMemory): Promise<void> {
  await fillMemory(memory);
  const report = await deleteUser(memory.admin, { userId: gone, dryRun: false });
  expect(report).toMatchObject({ found: 12, deleted: 12, complete: true });
  for (const tenant of staying) {
    expect(await memory.count({ tenant }, "conversation")).toBe(3);
    expect(await memory.count({ tenant }, "semantic_cache")).toBe(3);
  }
}

describe("a user's data goes, and nobody else's", () => {
  test("ephemeral", async () => {
    await using store = ephemeral();
    await eraseEvidence(store);
  });

  test("filesystem, the log of its database included", async () => {
    const directory = await directories.make();
    await using provider = await filesystem({ directory });
    await fillEvidence(provider.evidence);
    expect(await leftovers(directory)).not.toEqual([]);
    await eraseEvidence(provider.evidence);
    await eraseMemory(provider.memory);
    expect(await leftovers(directory)).toEqual([]);
  });

  test("clickhouse embedded", { timeout: 180_000 }, async () => {
    const dataDir = await directories.make();
    {
      await using store = await clickhouse({ connection: { dataDir } });
      await fillEvidence(store);
      expect((await leftovers(dataDir)).filter((name) => name.endsWith("data.bin"))).not.toEqual(
        [],
      );
      await eraseEvidence(store);
      expect(await leftovers(dataDir)).toEqual([]);
    }
    expect(await leftovers(dataDir)).toEqual([]);
    await using store = await clickhouse({ connection: { dataDir } });
    await expectGone(store);
    await expectNothingLate(store);
  });

  test("PGlite, its write-ahead log included", { timeout: 120_000 }, async () => {
    const path = await directories.make();
    const client = await PGlite.create({ dataDir: path, extensions: { vector } });
    await using store = await postgres({ client });
    await fillEvidence(store.evidence);
    await client.exec("CHECKPOINT");
    await client.exec("ANALYZE");
    expect((await leftovers(path)).some((name) => name.startsWith("pg_wal"))).toBe(true);
    await eraseEvidence(store.evidence);
    await expectNothingLate(store.evidence);
    await fillMemory(store.memory);
    await client.exec("ANALYZE");
    await eraseMemory(store.memory);
    expect(await leftovers(path)).toEqual([]);
    await client.close();
    expect(await leftovers(path)).toEqual([]);
  });

  test("clickhouse server", { timeout: 180_000 }, async () => {
    await using server = await startClickhouseServer();
    await using store = await clickhouse({ connection: { url: server.url } });
    await fillEvidence(store);
    const before = await readEvidence(store);
    expect(await leftovers(server.dataDir)).not.toEqual([]);
    const report = await deleteUserEvidence(store, { userId: gone, dryRun: false });
    const unreached = ["clickhouse_server_logs"];
    expect(report).toMatchObject({ deleted: 13, complete: true, unreached });
    expect(await leftovers(server.dataDir)).toEqual([]);
    expect(await readEvidence(store)).toEqual(before);
    await expectGone(store);
    await expectNothingLate(store);
  });

  test("clickhouse server that keeps replaced parts, and says so", async () => {
    await using server = await startClickhouseServer({ faults: { keepParts: true } });
    await using store = await clickhouse({ connection: { url: server.url } });
    await fillEvidence(store);
    await server.statements();
    onTestFinished(() => void vi.useRealTimers());
    const erased = deleteUserEvidence(store, { userId: gone, dryRun: false });
    const requested = async (): Promise<boolean> =>
      (await server.statements()).some((statement) => statement.includes("NOT active"));
    await expect.poll(requested, { timeout: 60_000 }).toBe(true);
    // It waits for 20 seconds by the clock.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20_001 });
    const unreached = ["clickhouse_server_logs", "clickhouse_inactive_parts"];
    expect(await erased).toMatchObject({ deleted: 13, complete: true, unreached });
    expect(await leftovers(server.dataDir)).not.toEqual([]);
    await expectGone(store);
  });

  test("a PostgreSQL server, but for the log that it recycles", { timeout: 120_000 }, async () => {
    const server = await startPostgres();
    try {
      const database = await server.createDatabase();
      const [place] = await server.run(database, "SHOW data_directory");
      const directory = String(place?.["data_directory"]);
      await using store = await postgres({ url: server.url(database) });
      await fillEvidence(store.evidence);
      await server.run(database, "CHECKPOINT");
      expect(await leftovers(directory)).not.toEqual([]);
      await eraseEvidence(store.evidence);
      await fillMemory(store.memory);
      await server.run(database, "ANALYZE");
      await eraseMemory(store.memory);
      const outside = (await leftovers(directory)).filter((name) => !name.startsWith("pg_wal"));
      expect(outside).toEqual([]);
      const last = await deleteUser(store.memory.admin, { userId: gone, dryRun: false });
      expect(last.unreached).toEqual(["postgres_wal"]);
    } finally {
      await server.close();
    }
  });

  test("MongoDB", { timeout: 120_000 }, async () => {
    const server = await startMongo();
    const client = new MongoClient(server.url);
    try {
      await using store = await mongodb({ client, database: "erased" });
      await eraseEvidence(store.evidence);
      await expectNothingLate(store.evidence);
      await eraseMemory(store.memory);
      const database = client.db("erased");
      const names = ["bundles", "batches"].map((name) => `evidence_${name}`);
      const evidence = [...names, "turn_ledger", "root_epochs"];
      expect(await database.collection("turn_ledger").countDocuments({})).toBeGreaterThan(0);
      for (const name of [...evidence, ...Object.values(memoryCollections)]) {
        for await (const document of database.collection(name).find()) {
          expect(JSON.stringify(document)).not.toContain(mark);
          expect(document["user_id"]).not.toBe(gone);
        }
      }
      const last = await deleteUserEvidence(store.evidence, { userId: gone, dryRun: false });
      expect(last.unreached).toContain("mongodb_oplog");
    } finally {
      await client.close();
      await server.close();
    }
  });
});

test("a user is a text, and a store that cannot erase says so", async () => {
  await using store = ephemeral();
  const erase = (userId: unknown): Promise<unknown> =>
    deleteUserEvidence(store, { userId: userId as string });
  await expect(erase("")).rejects.toMatchObject({ code: "identity_empty" });
  for (const nobody of [undefined, null, 7]) {
    await expect(erase(nobody)).rejects.toMatchObject({ code: "identity_missing" });
  }
  const copy = { ...store };
  await expect(deleteUserEvidence(copy, { userId: "ann" })).rejects.toMatchObject({
    code: "capability_missing",
  });
});
