/**
 * While stored evidence is damaged and it is not known which turns rest on it, no answer states a
 * success; what is located is judged again, with the collector running.
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { recordStored } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

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

async function json(collector: Collector, path: string): Promise<unknown> {
  return (await get(collector, path)).json();
}

async function verdicts(collector: Collector, query = ""): Promise<object> {
  const { items } = (await json(collector, `/traces/turns.json${query}`)) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

/** A collector of a new directory with the turns `a` and `b`, both of which are a success. */
async function withTurns(env: Readonly<Record<string, string>>): Promise<Collector> {
  const dataDir = await directories.make();
  const config = parseConfig({ ...env, TURNPROOF_DATA_DIR: dataDir });
  // A judge that looks before they are recorded as judged would judge them, without the contract.
  const collector = await createCollector({ config, log: quiet, judge: { firstMs: 3_600_000 } });
  for (const [root, began] of Object.entries({ a: start, b: start - 14 * 86_400_000 })) {
    const batch = { batchId: root, receivedAt: isoOf(began), events: turnAt(root, began) };
    await vi.waitFor(() => collector.store.append(batch), waits);
  }
  await recordStored(collector.store, allTenants, ["a", "b"]);
  const judged = { verdict: "success", finding_codes: [] };
  await judgeTurns(collector.store, ["a", "b"], judged, ["contract:answers=holds"]);
  expect(await verdicts(collector)).toEqual({ a: "success", b: "success" });
  return collector;
}

/** A store, and statements to its tables behind the collector's back. */
interface Kind {
  readonly env: Readonly<Record<string, string>>;
  readonly table: string;
  /** Makes the table again, without a row. */
  readonly make: string;
  run(dataDir: string, sql: string): Promise<void>;
  close(): Promise<void>;
}

const kinds: Readonly<Record<string, () => Promise<Kind>>> = {
  filesystem: async () => ({
    env: { TURNPROOF_BACKEND: "filesystem" },
    table: "bundles",
    make: "CREATE TABLE bundles AS SELECT * FROM away WHERE false",
    async run(dataDir, sql) {
      const database = new DatabaseSync(join(dataDir, "files", "evidence.sqlite"));
      database.exec(sql);
      database.close();
    },
    close: async () => {},
  }),
  async postgres() {
    const server = await startPostgres();
    const database = await server.createDatabase();
    return {
      env: { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) },
      table: "evidence_bundles",
      make: "CREATE TABLE evidence_bundles (LIKE away INCLUDING ALL)",
      async run(_dataDir, sql) {
        await server.run(database, sql);
      },
      close: () => server.close(),
    };
  },
};

test.each(Object.keys(kinds))(
  "%s: a table that goes while the collector runs leaves no success",
  async (name) => {
    const kind = await kinds[name]?.();
    if (kind === undefined) throw new Error("no such store");
    try {
      const collector = await withTurns(kind.env);
      const { dataDir } = collector.config;
      await kind.run(dataDir, `ALTER TABLE ${kind.table} RENAME TO away`);
      const agent = turnAt("a", start)[0]?.agent_id;
      const strict = [
        "/traces/a.json",
        `/traces/reconcile.json?agent_id=${agent}&root_trace_id=a`,
        `/traces/compare.json?agent_id=${agent}&baseline_root=a&candidate_root=b`,
      ];
      for (const path of strict) {
        const response = await get(collector, path);
        expect([path, response.status, await response.json()]).toMatchObject([
          path,
          500,
          { code: "store_corrupt" },
        ]);
      }

      expect(await verdicts(collector)).toEqual({ a: "unknown", b: "unknown" });
      expect(await verdicts(collector, "?verdict=success")).toEqual({});
      const holds = "?q=contract:answers=holds";
      const unproven = "?q=contract:answers=not_established";
      expect(await verdicts(collector, holds)).toEqual({});
      expect(await verdicts(collector, unproven)).toEqual({ a: "unknown", b: "unknown" });
      expect(await verdicts(collector, "?q=-verdict:success")).toEqual({
        a: "unknown",
        b: "unknown",
      });
      expect(await verdicts(collector, "?q=verdict:unknown&sort=verdict")).toEqual({
        a: "unknown",
        b: "unknown",
      });
      expect(await json(collector, "/traces/overview.json")).not.toMatchObject({
        verdicts: { success: expect.any(Number) },
      });
      for (const path of [
        "/traces/facets.json",
        "/traces/trend.json",
        "/agents.json",
        "/threads.json",
        "/traces/compare/releases.json",
        "/traces/export?table=turns&format=csv",
        "/traces/export?table=turns&format=jsonl",
      ]) {
        const response = await get(collector, path);
        const text = await response.text();
        // Those that read events as well are refused.
        if (!response.ok)
          expect([path, text]).toEqual([path, expect.stringMatching(/store_corrupt/)]);
        else expect([path, statesSuccess(text)]).toEqual([path, false]);
      }
      const damaged = { store: expect.stringContaining(kind.table), located: false };
      expect(await json(collector, "/traces/health.json")).toMatchObject({
        collector: { ingest: { damaged } },
      });

      // The table is there again, as after a restored backup.
      await kind.run(dataDir, `ALTER TABLE away RENAME TO ${kind.table}`);
      await vi.waitFor(
        async () => expect(await verdicts(collector)).toEqual({ a: "success", b: "success" }),
        waits,
      );
      expect(await json(collector, "/traces/turns.json")).toMatchObject({ window_complete: true });
      expect(await verdicts(collector, holds)).toEqual({ a: "success", b: "success" });

      // Without its rows it is known which turns rested on them.
      await kind.run(dataDir, `ALTER TABLE ${kind.table} RENAME TO away`);
      expect((await get(collector, "/traces/a.json")).status).toBe(500);
      await kind.run(dataDir, kind.make);
      await vi.waitFor(
        async () => expect(await verdicts(collector)).toEqual({ a: "partial", b: "partial" }),
        waits,
      );
      expect(await json(collector, "/traces/health.json")).toMatchObject({
        collector: { ingest: { damaged: { located: true }, missing: { roots_missing: 2 } } },
      });
      expect(await verdicts(collector, holds)).toEqual({});
      expect(await verdicts(collector, unproven)).toEqual({ a: "partial", b: "partial" });
      await collector.close();
    } finally {
      await kind.close();
    }
  },
  240_000,
);

/** True where a text has a verdict of success, as JSON, a cell or a count. */
function statesSuccess(text: string): boolean {
  return /"verdict":"success"|,success,|"success":\d/.test(text);
}

test("a part that is damaged while the collector runs is set aside, and its turns are no success", async () => {
  const collector = await withTurns({ TURNPROOF_BACKEND: "clickhouse" });
  const { dataDir } = collector.config;
  const table = join(dataDir, "clickhouse", "clickhouse", "data", "default", "bundles");
  const parts = (await readdir(table)).filter((part) => /^\d{8}_/.test(part)).toSorted();
  const file = join(table, parts.at(-1) ?? "", "data.bin");
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8((bytes[middle] ?? 0) ^ 0xff, middle);
  await writeFile(file, bytes);
  expect((await get(collector, "/traces/a.json")).status).toBe(500);
  expect(await verdicts(collector)).toEqual({ a: "unknown", b: "unknown" });
  await vi.waitFor(
    async () => expect(await verdicts(collector)).toEqual({ a: "partial", b: "success" }),
    waits,
  );
  expect(await json(collector, "/traces/health.json")).toMatchObject({
    collector: {
      ingest: {
        damaged: { store: null, located: true },
        missing: { roots_missing: 1, parts_set_aside: 1 },
      },
    },
  });
  await collector.close();
}, 120_000);
