/**
 * A full disk: a write fails with a code, leaves nothing half written, and succeeds once there is
 * space.
 */
import { expect, test } from "vitest";

import { recordStored } from "../ledger/record-roots.ts";
import { allTenants, receivedAt, sampleTurn } from "../testing/sample-event.ts";
import { openSqlite } from "./sqlite-database.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { codedSqlite } from "./sqlite-error.ts";
import { makeEvidenceTables, sqliteEvidence } from "./sqlite-evidence.ts";

const tables = ["batches", "roots", "bundles", "bundle_words", "turns", "turn_records"];

function counts(database: SqliteDatabase): readonly unknown[] {
  return tables.map((name) => database.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.["n"]);
}

/** Leaves room for that many more pages. */
function leave(database: SqliteDatabase, pages: number): void {
  const used = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
  database.exec(`PRAGMA max_page_count = ${used + pages}`);
}

const batchOf = (name: string): { batchId: string; receivedAt: string; roots: string[] } => ({
  batchId: name,
  receivedAt: receivedAt(1),
  roots: Array.from({ length: 200 }, (_, at) => `${name}-${at}`),
});

// The write fails at its first page, in the middle, and near its end.
test.each([0, 1, 5, 12, 20])("a disk with room for %i pages", async (pages) => {
  const database = openSqlite(":memory:");
  makeEvidenceTables(database);
  await using store = sqliteEvidence(database);
  const append = ({ roots, ...batch }: ReturnType<typeof batchOf>): Promise<void> =>
    store.append({
      ...batch,
      events: roots.flatMap((root) => sampleTurn(root, { user_id: "ann" })),
    });
  const [first, second] = [batchOf("first"), batchOf("second")];
  await append(first);
  await recordStored(store, allTenants, first.roots);
  const before = counts(database);

  leave(database, pages);
  await expect(codedSqlite(() => append(second))).rejects.toMatchObject({
    code: "disk_full",
    retryable: true,
  });
  expect(counts(database)).toEqual(before);
  expect(await store.readBack(second.batchId, second.receivedAt)).toMatchObject({ rows: 0 });
  // Reads continue to work.
  expect((await store.root(allTenants, "first-0", { limit: 9 })).events).toHaveLength(3);

  leave(database, 100_000);
  await append(second);
  const stored = counts(database);
  leave(database, pages);
  const record = (): Promise<unknown> => recordStored(store, allTenants, second.roots);
  await expect(codedSqlite(record)).rejects.toMatchObject({ code: "disk_full" });
  expect(counts(database)).toEqual(stored);

  leave(database, 100_000);
  await record();
  expect(counts(database).slice(4)).toEqual([400, 400]);
  expect(await store.readBack(second.batchId, second.receivedAt)).toEqual({
    rows: 600,
    complete: true,
  });
});
