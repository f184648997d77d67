/** A table that is gone is damage, with its name and the command that helps, on every store. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { afterAll, expect, test, vi } from "vitest";

import { accountChecks } from "../../../collector/src/cli/doctor-account.ts";
import { createCollector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { quiet } from "./desk.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

/** A store, and a way to drop one of its tables behind the collector's back. */
interface Kind {
  readonly env: Readonly<Record<string, string>>;
  readonly tables: readonly string[];
  readonly words: string;
  readonly command: string;
  drop(dataDir: string, table: string): Promise<void>;
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

const kinds: Readonly<Record<string, () => Promise<Kind>>> = {
  filesystem: async () => ({
    env: { TURNPROOF_BACKEND: "filesystem" },
    tables: ["bundles", "turns"],
    words: "damaged: files/evidence.sqlite lacks table",
    command: "turnproof restore",
    async drop(dataDir, table) {
      const database = new DatabaseSync(join(dataDir, "files", "evidence.sqlite"));
      database.exec(`DROP TABLE ${table}`);
      database.close();
    },
    close: nothing,
  }),
  clickhouse: async () => ({
    env: { TURNPROOF_BACKEND: "clickhouse" },
    tables: ["bundles"],
    words: "damaged: clickhouse/clickhouse/data/default lacks table",
    command: "turnproof restore",
    async drop(dataDir, table) {
      const folder = join(dataDir, "clickhouse");
      const files = await readdir(folder, { recursive: true });
      const named = files.filter(
        (name) => name.endsWith(`/${table}.sql`) || name.endsWith(`data/default/${table}`),
      );
      expect(named.length).toBeGreaterThan(0);
      for (const name of named) await rm(join(folder, name), { recursive: true, force: true });
    },
    close: nothing,
  }),
  async postgres() {
    const server = await startPostgres();
    const database = await server.createDatabase();
    return {
      env: { TURNPROOF_BACKEND: "postgres", TURNPROOF_POSTGRES_URL: server.url(database) },
      tables: ["evidence_bundles"],
      words: "damaged: PostgreSQL lacks table",
      command: "restore the database from a backup",
      async drop(_dataDir, table) {
        await server.run(database, `DROP TABLE ${table} CASCADE`);
      },
      close: () => server.close(),
    };
  },
};

test.each(Object.keys(kinds))(
  "%s: a table that is gone is damage",
  async (name) => {
    const kind = await kinds[name]?.();
    if (kind === undefined) throw new Error("no such store");
    try {
      for (const table of kind.tables) {
        const dataDir = await directories.make();
        const config = parseConfig({ ...kind.env, TURNPROOF_DATA_DIR: dataDir });
        const first = await createCollector({ config, log: quiet });
        const batch = { batchId: "a", receivedAt: isoOf(start), events: turnAt("a", start) };
        await vi.waitFor(() => first.store.append(batch), { timeout: 30_000, interval: 100 });
        await first.close();
        await kind.drop(dataDir, table);

        const damage = `${kind.words} ${table}`;
        const doctor = (await accountChecks(config)).map(
          ({ state, message: text }) => `${state} ${text}`,
        );
        expect(doctor.join()).toContain(`fail store_corrupt: ${damage}`);
        expect(doctor.join()).toContain(kind.command);
        const logged: object[] = [];
        const error = (event: string, fields?: object): void =>
          void logged.push({ event, ...fields });
        const again = await createCollector({ config, log: { ...quiet, error } });
        const get = (path: string): Response | Promise<Response> =>
          again.app.request(`http://127.0.0.1${path}`);
        await vi.waitFor(
          () =>
            expect(logged).toContainEqual({
              event: "store_damaged",
              code: "store_corrupt",
              path: expect.any(String),
              table,
              command: expect.stringContaining(kind.command),
            }),
          { timeout: 30_000, interval: 100 },
        );
        const ready = await get("/readyz/store");
        expect([ready.status, await ready.json()]).toMatchObject([503, { code: "store_corrupt" }]);
        // A list of what is left is not complete, and its page shows why.
        const list = await get("/traces/turns.json");
        if (list.ok) expect(await list.json()).toMatchObject({ window_complete: false });
        const html = { headers: { Accept: "text/html" } };
        const turns = await again.app.request("http://127.0.0.1/traces", html);
        expect(await turns.text()).toContain("data-store-damaged");
        const page = await (await get("/traces/health")).text();
        expect(page).toContain(damage);
        expect(page).toContain(kind.command);
        await again.close();
      }
    } finally {
      await kind.close();
    }
  },
  180_000,
);
