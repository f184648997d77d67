/** @module Erasure: a user's evidence and memory go whole, to the last byte; near names stay. */
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { clickhouse, ephemeral, filesystem, postgres } from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore } from "@turnproof/store";
import { deleteUser, deleteUserEvidence } from "@turnproof/store/admin";
import { afterAll, describe, expect, test } from "vitest";

import {
  expectGone,
  fillEvidence,
  fillMemory,
  gone,
  leftovers,
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
  // Three turns of three rows; of the shared root two rows and one that nobody can be told to own.
  expect(plan).toMatchObject({ dry_run: true, roots: 4, found: 12, deleted: 0, verdicts: 2 });
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
  expect(report).toMatchObject({ found: 12, deleted: 12, kept: 3, complete: true });
  expect(seen.at(-1)).toBe(1);
  expect(await readEvidence(store)).toEqual(before);
  await expectGone(store);
  const again = await deleteUserEvidence(store, { userId: gone, dryRun: false });
  expect(again).toMatchObject({ roots: 0, found: 0, verdicts: 0, complete: true });
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

  test.each(["compatibility", "native"] as const)("filesystem, %s reads", async (reads) => {
    const directory = await directories.make();
    await using provider = await filesystem({ directory, reads });
    if (reads === "native") await provider.index.backfill();
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
    await fillMemory(store.memory);
    await client.exec("ANALYZE");
    await eraseMemory(store.memory);
    expect(await leftovers(path)).toEqual([]);
    await client.close();
    expect(await leftovers(path)).toEqual([]);
  });
});
