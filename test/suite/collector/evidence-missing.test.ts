/** Evidence that is gone without a deletion is noticed at the next start, and makes no success. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { clickhouse, filesystem, recordStored } from "@turnproof/store";
import { deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import { evidenceCheck } from "../../../collector/src/cli/doctor-evidence.ts";
import { createCollector } from "../../../collector/src/collector.ts";
import type { Collector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/config.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const log = { info() {}, warn() {}, error() {} };

const asked = async (collector: Collector, path: string): Promise<unknown> =>
  (await collector.app.request(`http://127.0.0.1${path}`)).json();

async function verdicts(collector: Collector): Promise<Readonly<Record<string, unknown>>> {
  const { items } = (await asked(collector, "/traces/turns.json")) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

test("a part of an embedded engine that is gone", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" });
  const open = (): ReturnType<typeof clickhouse> =>
    clickhouse({ connection: { dataDir: join(dataDir, "clickhouse") } });
  const store = await open();
  // Rows of another week lie in parts of their own.
  const roots = { a: start, b: start - 14 * 86_400_000, c: start, d: start };
  for (const [root, began] of Object.entries(roots)) {
    const events = turnAt(root, began, { user_id: `user-${root}` });
    await store.append({ batchId: root, receivedAt: isoOf(began), events });
  }
  await recordStored(store, allTenants, Object.keys(roots));
  await store.close();

  const first = await createCollector({ config, log });
  const success = { a: "success", b: "success", c: "success" };
  const waits = { timeout: 60_000, interval: 100 };
  await vi.waitFor(
    async () => expect(await verdicts(first)).toEqual({ ...success, d: "success" }),
    waits,
  );
  await first.close();
  // A deletion is no gap.
  const again = await open();
  await deleteUserEvidence(again, { userId: "user-d", dryRun: false });
  await again.close();

  const engine = join(dataDir, "clickhouse", "clickhouse");
  const table = join(engine, "data", "default", "bundles");
  const parts = (await readdir(table)).filter((name) => /^\d{8}_/.test(name)).toSorted();
  const [week = ""] = parts.map((name) => name.slice(0, 8));
  for (const name of parts.filter((each) => each.startsWith(week))) {
    await rm(join(table, name), { recursive: true });
  }
  const second = await createCollector({ config, log });
  const rows = turnAt("b", start).length;
  const missing = { turns: 3, roots_missing: 1, rows_missing: rows };
  await vi.waitFor(
    async () =>
      expect(await asked(second, "/traces/health.json")).toMatchObject({
        collector: { ingest: { missing } },
      }),
    waits,
  );
  const metrics = await (await second.app.request("http://127.0.0.1/metrics")).text();
  expect(metrics).toContain(`turnproof_evidence_missing_rows ${rows}`);
  const page = await second.app.request("http://127.0.0.1/traces/health");
  expect(await page.text()).toContain(`${rows} rows are gone`);
  expect(await verdicts(second)).toEqual({ ...success, b: "partial" });
  await second.close();
}, 180_000);

test("doctor counts the rows of an evidence file", async () => {
  const directory = await directories.make();
  const provider = await filesystem({ directory });
  const events = turnAt("a", start);
  await provider.evidence.append({ batchId: "a", receivedAt: isoOf(start), events });
  await provider.close();
  expect(await evidenceCheck(directory)).toMatchObject({ state: "ok" });
  const database = new DatabaseSync(join(directory, "evidence.sqlite"));
  database.exec("DELETE FROM bundles");
  database.close();
  const says = expect.stringContaining(`${events.length} rows of 1 traces are gone`);
  expect(await evidenceCheck(directory)).toMatchObject({ state: "fail", says });
});
