/**
 * Damage that a read met and that no comparison of turns finds is known after a restart, before a
 * read meets it again, until everything is read without meeting it.
 */
import { existsSync } from "node:fs";
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { recordStored } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import { createCollector } from "../../../collector/src/collector.ts";
import type { Collector } from "../../../collector/src/collector.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { judgeTurns, quiet } from "./desk.ts";
import { isoOf, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const waits = { timeout: 60_000, interval: 50 };

async function json(collector: Collector, path: string): Promise<unknown> {
  return (await collector.app.request(`http://127.0.0.1${path}`)).json();
}

async function verdicts(collector: Collector): Promise<object> {
  const { items } = (await json(collector, "/traces/turns.json")) as {
    readonly items: readonly { readonly root_trace_id: string; readonly verdict: unknown }[];
  };
  return Object.fromEntries(items.map(({ root_trace_id: root, verdict }) => [root, verdict]));
}

/** A store, and a change of its bytes that no comparison of turns meets. */
interface Kind {
  readonly env: Readonly<Record<string, string>>;
  /** Changes bytes, and returns what brings them back. */
  damage(dataDir: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const kinds: Readonly<Record<string, () => Promise<Kind>>> = {
  filesystem: async () => ({
    env: { TURNPROOF_BACKEND: "filesystem" },
    async damage(dataDir) {
      const path = join(dataDir, "files", "evidence.sqlite");
      const database = new DatabaseSync(path);
      const { page } = database
        .prepare("SELECT rootpage AS page FROM sqlite_master WHERE name = 'bundle_words'")
        .get() as { readonly page: number };
      const { page_size: size } = database.prepare("PRAGMA page_size").get() as {
        readonly page_size: number;
      };
      database.close();
      const before = Buffer.alloc(64);
      const file = await open(path, "r+");
      await file.read(before, 0, before.length, (page - 1) * size);
      await file.write(Buffer.alloc(before.length, 0xa5), 0, before.length, (page - 1) * size);
      await file.close();
      return async () => {
        const again = await open(path, "r+");
        await again.write(before, 0, before.length, (page - 1) * size);
        await again.close();
      };
    },
    close: async () => {},
  }),
  async clickhouse() {
    const server = await startClickhouseServer();
    return {
      env: { TURNPROOF_BACKEND: "clickhouse", TURNPROOF_CLICKHOUSE_URL: server.url },
      async damage() {
        const files = await readdir(server.dataDir, { recursive: true });
        const parts = files.filter((name) =>
          /\/default\/bundles\/\d{8}_\w+\/data\.bin$/.test(name),
        );
        // Merged parts lie there beside those that they were made of.
        const before = await Promise.all(
          parts.map(async (part) => [part, await readFile(join(server.dataDir, part))] as const),
        );
        expect(before.length).toBeGreaterThan(0);
        for (const [part, bytes] of before) {
          const changed = Buffer.from(bytes);
          // The bodies, which are the most of it.
          const middle = Math.floor(bytes.length / 2);
          changed.writeUInt8((bytes[middle] ?? 0) ^ 0xff, middle);
          await writeFile(join(server.dataDir, part), changed);
        }
        return async () => {
          for (const [part, bytes] of before) await writeFile(join(server.dataDir, part), bytes);
        };
      },
      close: () => server.close(),
    };
  },
};

test.each(Object.keys(kinds))(
  "%s: no success is answered after a restart over known damage",
  async (name) => {
    const kind = await kinds[name]?.();
    if (kind === undefined) throw new Error("no such store");
    try {
      const dataDir = await directories.make();
      const known = join(dataDir, "store-damage.json");
      const config = parseConfig({ ...kind.env, TURNPROOF_DATA_DIR: dataDir });
      const logged: string[] = [];
      const info = (event: string): void => void logged.push(event);
      const started = (judge?: false): Promise<Collector> =>
        createCollector({
          config,
          log: { ...quiet, info, error: info },
          ...(judge === false && { judge }),
        });
      const first = await started(false);
      for (const root of ["a", "b"]) {
        const batch = { batchId: root, receivedAt: isoOf(start), events: turnAt(root, start) };
        await vi.waitFor(() => first.store.append(batch), waits);
      }
      await recordStored(first.store, allTenants, ["a", "b"]);
      await judgeTurns(first.store, ["a", "b"], { verdict: "success", finding_codes: [] });
      await first.close();
      const bringBack = await kind.damage(dataDir);

      const meeting = await started();
      const success = { a: "success", b: "success" };
      const unknown = { a: "unknown", b: "unknown" };
      await vi.waitFor(async () => expect(await verdicts(meeting)).toEqual(success), waits);
      expect(existsSync(known)).toBe(false);
      const find = meeting.store.find(allTenants, "a", {}, { limit: 10 });
      await expect(find).rejects.toMatchObject({ code: "store_corrupt" });
      expect(await verdicts(meeting)).toEqual(unknown);
      await meeting.close();
      expect(JSON.parse(await readFile(known, "utf8"))).toMatchObject({
        version: 1,
        damaged: [{ field: expect.stringMatching(/^(sqlite 11|clickhouse \d+)$/) }],
      });

      // The whole of it is read after the comparison, and meets the damage again.
      const again = await started();
      const compared = async (): Promise<void> =>
        expect(await json(again, "/traces/health.json")).toMatchObject({
          collector: { ingest: { missing: { roots_missing: 0 }, damaged: { located: false } } },
        });
      await vi.waitFor(async () => expect(await verdicts(again)).toEqual(unknown), waits);
      await vi.waitFor(compared, waits);
      expect(await verdicts(again)).toEqual(unknown);
      expect(existsSync(known)).toBe(true);
      await again.close();
      expect(logged).not.toContain("store_damage_ended");

      await bringBack();
      const whole = await started();
      await vi.waitFor(async () => expect(await verdicts(whole)).toEqual(success), waits);
      expect(logged).toContain("store_damage_ended");
      await vi.waitFor(() => expect(existsSync(known)).toBe(false), waits);
      await whole.close();
    } finally {
      await kind.close();
    }
  },
  180_000,
);

test("a file of known damage that cannot be read is damage until a read of everything", async () => {
  const dataDir = await directories.make();
  await writeFile(join(dataDir, "store-damage.json"), "{");
  const config = parseConfig({ TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" });
  const logged: string[] = [];
  const note = (event: string): void => void logged.push(event);
  const collector = await createCollector({ config, log: { info: note, warn: note, error: note } });
  expect(logged).toContain("store_damage_unreadable");
  expect(logged).toContain("store_damaged");
  await vi.waitFor(() => expect(logged).toContain("store_damage_ended"), waits);
  await collector.close();
  expect(existsSync(join(dataDir, "store-damage.json"))).toBe(false);
});
