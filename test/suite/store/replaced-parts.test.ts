/** What merges replaced leaves the disk of the embedded engine while it runs. */
import { setTimeout as sleep } from "node:timers/promises";

import { clickhouse, lentEngineOf } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { sampleTurn } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const tables = ["bundles", "root_epochs", "turn_ledger"];
const named = `name IN (${tables.map((name) => `'${name}'`).join(", ")})`;

/** A count, which is the last number of an answer in the engine's own format. */
async function count(store: EvidenceStore, sql: string): Promise<number> {
  const answer = await lentEngineOf(store)?.select(`SELECT toUInt64(count()) AS n FROM ${sql}`, {});
  const bytes = Buffer.from(answer?.bytes ?? []);
  return Number(bytes.readBigUInt64LE(bytes.length - 8));
}

const replacedOf = (store: EvidenceStore): Promise<number> =>
  count(
    store,
    "system.parts WHERE database = currentDatabase() AND NOT active AND table != 'migrations'",
  );

test("parts that a merge replaced are removed", { timeout: 300_000 }, async () => {
  const dataDir = await directories.make();
  const store = await clickhouse({ connection: { dataDir } });
  // Every table has the setting: left alone the engine keeps what was replaced for eight minutes.
  const set = `create_table_query LIKE '%old_parts_lifetime = 15%' AND ${named}`;
  expect(await count(store, `system.tables WHERE database = currentDatabase() AND ${set}`)).toBe(
    tables.length,
  );
  let most = 0;
  for (let index = 0; index < 40; index++) {
    const receivedAt = new Date(Date.now()).toISOString().replace("Z", "000Z");
    const events = sampleTurn(`root${index}`, {});
    await store.append({ batchId: `batch${index}`, receivedAt, events });
    most = Math.max(most, await replacedOf(store));
  }
  expect(most).toBeGreaterThan(0);
  const until = performance.now() + 200_000;
  let left = await replacedOf(store);
  for (; left >= most / 2 && performance.now() < until; left = await replacedOf(store)) {
    await sleep(1_000);
  }
  expect(left).toBeLessThan(most / 2);
  await store.close();
});
