/**
 * A read-only collector withdraws no verdict, and answers none as a success that may rest on
 * damage.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { filesystem, recordStored } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import { createCollector } from "../../../collector/src/collector.ts";
import type { Collector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { judgeTurns, quiet } from "./desk.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const get = (collector: Collector, path: string): Response | Promise<Response> =>
  collector.app.request(`http://127.0.0.1${path}`);

async function verdicts(collector: Collector): Promise<object> {
  const { items } = (await (await get(collector, "/traces/turns.json")).json()) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

const success = { a: "success", b: "success" };
const unknown = { a: "unknown", b: "unknown" };
const ofA = "root = (SELECT id FROM roots WHERE root_trace_id = 'a')";

test.each([
  ["changed", `UPDATE bundles SET segments = '[' || segments WHERE ${ofA}`],
  ["gone", `DELETE FROM bundles WHERE ${ofA}`],
])("rows that are %s", async (name, sql) => {
  const dataDir = await directories.make();
  const env = { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" };
  const first = await createCollector({ config: parseConfig(env), log: quiet, judge: false });
  for (const root of ["a", "b"]) {
    await first.store.append({
      batchId: root,
      receivedAt: isoOf(start),
      events: turnAt(root, start),
    });
  }
  await recordStored(first.store, allTenants, ["a", "b"]);
  await judgeTurns(first.store, ["a", "b"], { verdict: "success", finding_codes: [] });
  expect(await verdicts(first)).toEqual(success);
  await first.close();
  const database = new DatabaseSync(join(dataDir, "files", "evidence.sqlite"));
  database.exec(sql);
  database.close();

  const config = parseConfig({ ...env, TURNPROOF_UI_READ_ONLY: "true" });
  const collector = await createCollector({ config, log: quiet });
  // A read meets rows that changed, and the comparison of the start those that are gone.
  if (name === "changed") expect((await get(collector, "/traces/a.json")).status).toBe(500);
  await vi.waitFor(async () => expect(await verdicts(collector)).toEqual(unknown), {
    timeout: 30_000,
    interval: 50,
  });
  expect(await (await get(collector, "/traces/health.json")).json()).toMatchObject({
    collector: { ingest: { damaged: { located: false } } },
  });
  const health = await (await get(collector, "/traces/health")).text();
  expect(health).toContain("no verdict is withdrawn in read-only mode");
  expect(health).not.toContain("unknown which turns rest on the damage");
  await collector.close();
  // What is recorded stays.
  const { evidence } = await filesystem({ directory: join(dataDir, "files") });
  const page = { order: { by: "first_received" }, limit: 10 } as const;
  const { records } = await evidence.ledger.listTurns({ scope: allTenants, where: [] }, page);
  expect(records.map(({ row }) => row.verdict)).toEqual(["success", "success"]);
  await evidence.close();
});
