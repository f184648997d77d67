/** A stored row whose bytes changed is damage, and no success rests on it. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { recordRoots, recordStored } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import { evidenceCheck } from "../../../collector/src/cli/doctor-evidence.ts";
import { createCollector } from "../../../collector/src/collector.ts";
import type { Collector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { judgeTurns, quiet } from "./desk.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const waits = { timeout: 60_000, interval: 100 };

const get = (collector: Collector, path: string): Response | Promise<Response> =>
  collector.app.request(`http://127.0.0.1${path}`);

async function verdicts(collector: Collector): Promise<Readonly<Record<string, unknown>>> {
  const { items } = (await (await get(collector, "/traces/turns.json")).json()) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

/** A store, and a way to change bytes of a stored bundle of trace `a`. */
interface Kind {
  readonly env: Readonly<Record<string, string>>;
  readonly command: string;
  damage(dataDir: string): Promise<void>;
  close(): Promise<void>;
}

const kinds: Readonly<Record<string, () => Promise<Kind>>> = {
  filesystem: async () => ({
    env: { TURNPROOF_BACKEND: "filesystem" },
    command: "turnproof restore",
    async damage(dataDir) {
      const database = new DatabaseSync(join(dataDir, "files", "evidence.sqlite"));
      database.exec(
        `UPDATE bundles SET segments = '[' || segments WHERE root =
           (SELECT id FROM roots WHERE root_trace_id = 'a')`,
      );
      database.close();
      const found = await evidenceCheck(join(dataDir, "files"));
      expect(found).toMatchObject({
        state: "fail",
        message: expect.stringContaining("1 bundle with changed bytes, in 1 trace (a);"),
      });
    },
    close: async () => {},
  }),
  async postgres() {
    const server = await startPostgres();
    const database = await server.createDatabase();
    return {
      env: { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) },
      command: "restore the database from a backup",
      async damage() {
        await server.run(
          database,
          `UPDATE evidence_bundles SET body = overlay(body placing '##' from 3 for 2) WHERE root =
             (SELECT root FROM evidence_roots WHERE root_trace_id = 'a')`,
        );
      },
      close: () => server.close(),
    };
  },
};

test.each(Object.keys(kinds))(
  "%s: a row whose bytes changed",
  async (name) => {
    const kind = await kinds[name]?.();
    if (kind === undefined) throw new Error("no such store");
    try {
      const dataDir = await directories.make();
      const config = parseConfig({ ...kind.env, TURNPROOF_DATA_DIR: dataDir });
      const first = await createCollector({ config, log: quiet, judge: false });
      for (const root of ["a", "b"]) {
        const batch = { batchId: root, receivedAt: isoOf(start), events: turnAt(root, start) };
        await vi.waitFor(() => first.store.append(batch), waits);
      }
      await recordStored(first.store, allTenants, ["a", "b"]);
      await judgeTurns(first.store, ["a", "b"], { verdict: "success", finding_codes: [] });
      expect(await verdicts(first)).toEqual({ a: "success", b: "success" });
      await first.close();
      await kind.damage(dataDir);

      const logged: object[] = [];
      const error = (event: string, fields?: object): void =>
        void logged.push({ event, ...fields });
      const again = await createCollector({ config, log: { ...quiet, error } });
      await vi.waitFor(
        async () => expect((await get(again, "/readyz/store")).status).toBe(200),
        waits,
      );
      const agent = turnAt("a", start)[0]?.agent_id;
      const reconciled = `/traces/reconcile.json?agent_id=${agent}&root_trace_id=a`;
      for (const path of ["/traces/a.json", reconciled]) {
        const response = await get(again, path);
        const body: unknown = await response.json();
        expect([path, response.status, body]).toMatchObject([path, 500, { code: "store_corrupt" }]);
      }
      expect((await get(again, "/traces/c.json")).status).toBe(404);
      expect((await get(again, "/traces/b.json")).status).toBe(200);
      await vi.waitFor(
        async () => expect(await verdicts(again)).toEqual({ a: "partial", b: "success" }),
        waits,
      );
      expect(logged.filter((line) => "event" in line && line.event === "evidence_damaged")).toEqual(
        [{ event: "evidence_damaged", count: 1, command: expect.stringContaining(kind.command) }],
      );
      expect(await (await get(again, "/traces/health.json")).json()).toMatchObject({
        failures_by_code: { store_corrupt: expect.any(Number) },
        collector: { ingest: { damaged: { store: null, traces: 1 } } },
      });
      const health = await (await get(again, "/traces/health")).text();
      expect(health).toContain("damaged rows in 1 trace");
      expect(health).toContain('href="/traces/a"');
      const metrics = await (await get(again, "/metrics")).text();
      expect(metrics).toMatch(/^turnproof_evidence_damaged_traces 1$/m);
      // What is left is not everything, and each page states it.
      const list = await (await get(again, "/traces/turns.json")).json();
      expect(list).toMatchObject({ window_complete: false });
      const table = await get(again, "/traces/export?table=turns&format=csv");
      expect(table.headers.get("turnproof-window")).toBe("partial");
      await table.arrayBuffer();
      for (const path of ["/traces/turns", "/agents", "/tools"]) {
        for (const form of ["csv", "jsonl"]) {
          const file = await get(again, `${path}.${form}`);
          expect([path, file.status, file.headers.get("turnproof-window")]).toEqual([
            path,
            200,
            "partial",
          ]);
          await file.arrayBuffer();
        }
      }
      expect(await (await get(again, "/traces")).text()).toContain("data-store-damaged");
      // A turn stays in the ledger when its trace is settled again without events of it.
      const standing = (await again.store.standing(["a"])).get("a");
      if (standing === undefined) throw new Error("no rows");
      const whole = { root: "a", events: [], ...standing };
      const unjudged = (): undefined => undefined;
      await recordRoots(again.store.ledger, [{ ...whole, damaged: true }], unjudged);
      expect(Object.keys(await verdicts(again)).toSorted()).toEqual(["a", "b"]);
      await recordRoots(again.store.ledger, [whole], unjudged);
      expect(Object.keys(await verdicts(again))).toEqual(["b"]);
      await again.close();
    } finally {
      await kind.close();
    }
  },
  180_000,
);

test("a page of the evidence file that is damaged while the collector runs", async () => {
  const dataDir = await directories.make();
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" });
  const logged: object[] = [];
  const error = (event: string, fields?: object): void => void logged.push({ event, ...fields });
  const collector = await createCollector({ config, log: { ...quiet, error }, judge: false });
  const roots = Array.from({ length: 40 }, (_, at) => `root-${at}`);
  for (const root of roots) {
    const batch = { batchId: root, receivedAt: isoOf(start), events: turnAt(root, start) };
    await collector.store.append(batch);
  }
  await recordStored(collector.store, allTenants, roots);
  await judgeTurns(collector.store, roots, { verdict: "success", finding_codes: [] });
  expect(new Set(Object.values(await verdicts(collector)))).toEqual(new Set(["success"]));
  await collector.close();
  const path = join(dataDir, "files", "evidence.sqlite");
  const database = new DatabaseSync(path);
  const { rootpage } = database
    .prepare("SELECT rootpage FROM sqlite_master WHERE name = 'roots'")
    .get() as { readonly rootpage: number };
  const { page_size: size } = database.prepare("PRAGMA page_size").get() as {
    readonly page_size: number;
  };
  database.close();
  const file = await open(path, "r+");
  await file.write(Buffer.alloc(3_000, 0xa5), 0, 3_000, (rootpage - 1) * size);
  await file.close();

  const again = await createCollector({ config, log: { ...quiet, error }, judge: false });
  expect((await get(again, "/readyz/store")).status).toBe(200);
  const refused = await get(again, "/traces/events.json");
  expect([refused.status, await refused.json()]).toMatchObject([
    500,
    { code: "store_corrupt", detail: expect.stringContaining("Health") },
  ]);
  expect(logged).toContainEqual({
    event: "store_damaged",
    code: "store_corrupt",
    path: "files/evidence.sqlite",
    command: expect.stringContaining("turnproof restore"),
  });
  expect((await get(again, "/readyz/store")).status).toBe(503);
  expect(await (await get(again, "/metrics")).text()).toMatch(/^turnproof_store_up 0$/m);
  // What is gone is unknown, and no zero.
  expect(await (await get(again, "/metrics")).text()).not.toMatch(/^turnproof_evidence_missing/m);
  // The ledger can be read, and what it answers is not complete.
  const { window_complete: isComplete } = (await (
    await get(again, "/traces/turns.json")
  ).json()) as { readonly window_complete: boolean };
  expect(isComplete).toBe(false);
  // It is not known which turns rest on the page.
  expect(new Set(Object.values(await verdicts(again)))).toEqual(new Set(["unknown"]));
  const table = await get(again, "/traces/export?table=turns&format=csv");
  expect([table.status, table.headers.get("turnproof-window")]).toEqual([200, "partial"]);
  const turns = await (await get(again, "/traces")).text();
  expect(turns).toContain("data-store-damaged");
  // The link leads to the card that names the damage, far below the figures of the range.
  expect(turns).toContain('href="/traces/health#journal"');
  const health = await (await get(again, "/traces/health")).text();
  expect(health).not.toContain("data-store-damaged");
  expect(health).toContain('id="journal"');
  expect(health).toContain("damaged: files/evidence.sqlite; restore a backup");
  expect(health).toContain("unknown while the store is damaged");
  await again.close();
});
