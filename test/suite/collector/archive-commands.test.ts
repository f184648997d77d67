/**
 * Commands of an operator over every backend that keeps ages: migrate, backfill, parity and
 * retention. Each is a dry run first, prints JSON and ends with a code.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem, mongodb, postgres } from "@turnproof/store";
import type { Provider } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { turnEvents } from "./desk.ts";

const root = join(import.meta.dirname, "../../..");
const folders: string[] = [];
let mongo: MongoDatabase;
let server: PostgresServer;
beforeAll(async () => {
  mongo = await openMongo();
  server = await startPostgres();
});
afterAll(async () => {
  await mongo.close();
  await server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly json: unknown;
}

/** Runs the command line as it is built, with `--json`. */
function turnproof(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const argv = [join(root, "collector/bin/turnproof.js"), ...args, "--json"];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      argv,
      { cwd: root, env: { PATH: process.env["PATH"], ...env } },
      (error, out, err) => {
        const code = error === null ? 0 : Number(error.code);
        resolve({ code, out, err, json: out === "" ? undefined : JSON.parse(out) });
      },
    );
  });
}

interface Ground {
  readonly env: Record<string, string>;
  /** The stores as the collector would open them. */
  open(room: "files" | "memory"): Promise<Provider>;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "turnproof-archive-"));
  folders.push(made);
  return made;
}

const grounds: Readonly<Record<string, () => Promise<Ground>>> = {
  filesystem: async () => {
    const dataDir = folder();
    return {
      env: { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" },
      open: (room) => filesystem({ directory: join(dataDir, room) }),
    };
  },
  mongodb: async () => {
    const url = mongo.url;
    return {
      env: {
        TURNPROOF_DATA_DIR: folder(),
        TURNPROOF_BACKEND: "mongodb",
        TURNPROOF_MEMORY_BACKEND: "mongodb",
        DOCUMENT_DB_URI: url,
      },
      open: () => mongodb({ url }),
    };
  },
  postgres: async () => {
    const url = server.url(await server.createDatabase());
    return {
      env: {
        TURNPROOF_DATA_DIR: folder(),
        TURNPROOF_BACKEND: "postgres",
        TURNPROOF_MEMORY_BACKEND: "postgres",
        TURNPROOF_POSTGRES_URL: url,
      },
      open: () => postgres({ url }),
    };
  },
};

const before = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().replace("Z", "000Z");

async function fill(ground: Ground): Promise<void> {
  await using evidence = await ground.open("files");
  for (const [n, days] of [200, 40, 3].entries()) {
    for (const user of ["ann", "bob"]) {
      const events = turnEvents({ root: `${user}-${n}`, user });
      await evidence.evidence.append({ batchId: `${user}-${n}`, receivedAt: before(days), events });
    }
  }
  await using memory = await ground.open("memory");
  await memory.memory.put({ tenant: "ann" }, "semantic_cache", {
    id: "over",
    text: "canary",
    data: {},
    created_at: before(30).replace("000Z", "Z"),
    expires_at: before(20).replace("000Z", "Z"),
  });
}

async function rootsOf(ground: Ground): Promise<readonly string[]> {
  await using provider = await ground.open("files");
  const { events } = await provider.evidence.page(allTenants, { store: "all" }, { limit: 100 });
  const roots = new Set(events.flatMap(({ root_trace_id }) => root_trace_id ?? []));
  return [...roots].toSorted((a, b) => (a < b ? -1 : 1));
}

describe.each(Object.keys(grounds))("over %s", (name) => {
  test("the schema is brought about; the index is written with the rows", async () => {
    const ground = await (grounds[name] as () => Promise<Ground>)();
    const { env } = ground;
    if (name !== "mongodb") {
      const fresh = await turnproof(["migrate"], env);
      expect([fresh.code, fresh.json]).toEqual([
        3,
        expect.objectContaining({
          applied: false,
          stores: expect.arrayContaining([expect.objectContaining({ schema: "behind" })]),
        }),
      ]);
      if (name === "filesystem") {
        expect(existsSync(join(env["TURNPROOF_DATA_DIR"] ?? "", "files"))).toBe(false);
      }
    }
    await fill(ground);
    for (const flags of [["--apply"], ["--drop-old"], []]) {
      const made = await turnproof(["migrate", ...flags], env);
      expect([made.code, made.err]).toEqual([0, ""]);
      expect(made.json).toMatchObject({
        stores: [
          { store: "evidence", schema: "ready", earlier: { events: 0, complete: true } },
          { store: "memory", schema: "ready" },
        ],
      });
    }
    for (const command of [["parity"], ["backfill"], ["backfill", "--apply"]]) {
      const { code, json } = await turnproof(command, env);
      expect([command, code, json]).toEqual([command, 0, { store: name, nothing_to_do: true }]);
    }
    expect(await rootsOf(ground)).toHaveLength(6);
  }, 240_000);

  test("what is too old is counted, then taken away, with a tenant's own days", async () => {
    const ground = await (grounds[name] as () => Promise<Ground>)();
    const { env } = ground;
    if (name === "filesystem") {
      const nothing = await turnproof(["retention"], env);
      expect([nothing.code, nothing.json]).toEqual([0, expect.objectContaining({ stores: [] })]);
    }
    await fill(ground);
    const roots = await rootsOf(ground);
    const file = join(folder(), "tenants.json");
    writeFileSync(file, JSON.stringify([{ user_id: "bob", metadata: 100 }]));
    const expected = (removed: number): object => ({
      complete: true,
      stores: [
        {
          store: "evidence",
          classes: expect.arrayContaining([
            { class: "metadata", expired: 9, removed: removed * 9 },
          ]),
        },
        {
          store: "memory",
          classes: [
            { class: "preview", expired: 0, removed: 0 },
            { class: "expired", expired: 1, removed },
          ],
        },
      ],
    });
    const dry = await turnproof(["retention", "--tenants", file], env);
    expect(dry.err).toBe("");
    expect(dry.json).toMatchObject(expected(0));
    expect([dry.code, await rootsOf(ground)]).toEqual([0, roots]);
    const done = await turnproof(["retention", "--tenants", file, "--apply"], env);
    expect([done.code, done.err]).toEqual([0, ""]);
    expect(done.json).toMatchObject(expected(1));
    expect(await rootsOf(ground)).toEqual(["ann-2", "bob-1", "bob-2"]);
    expect(`${dry.out}${dry.err}${done.out}${done.err}`).not.toContain("canary");
    const wrong = await turnproof(["retention", "--preview-days", "31"], env);
    expect([wrong.code, wrong.err.includes("parameter_invalid")]).toEqual([2, true]);
  }, 240_000);
});

test("what an earlier version wrote is dropped only where --apply says so", async () => {
  const { url, name } = mongo.other();
  const env = {
    TURNPROOF_DATA_DIR: folder(),
    TURNPROOF_BACKEND: "mongodb",
    TURNPROOF_MEMORY_BACKEND: "none",
    DOCUMENT_DB_URI: url,
  };
  await using client = await new MongoClient(url).connect();
  const old = client.db(name).collection("evidence_events");
  const [event] = turnEvents({ root: "earlier", user: "ann" });
  const receivedAt = before(1);
  await old.insertOne({
    _id: "first:0000000" as never,
    batch_id: "first",
    received_us: Date.parse(receivedAt) * 1_000,
    root_trace_id: "earlier",
    event: JSON.stringify({ ...event, received_at: receivedAt }),
  });
  const runs = [
    [[], { events: 1, copied: 0 }, 1],
    [["--apply"], { events: 1, copied: 1 }, 1],
    [["--drop-old"], { events: 1, copied: 1 }, 1],
    [["--apply", "--drop-old"], { events: 0, copied: 0 }, 0],
  ] as const;
  for (const [flags, earlier, left] of runs) {
    const made = await turnproof(["migrate", ...flags], env);
    expect([flags, made.err, made.json]).toMatchObject([flags, "", { stores: [{ earlier }] }]);
    expect([flags, await old.countDocuments({})]).toEqual([flags, left]);
  }
  await using store = await mongodb({ url });
  const page = await store.evidence.page(allTenants, { store: "all" }, { limit: 9 });
  expect(page.events).toHaveLength(1);
}, 120_000);

test("a store that keeps its index by itself says so", async () => {
  const env = { TURNPROOF_DATA_DIR: folder(), TURNPROOF_BACKEND: "clickhouse" };
  for (const command of [["parity"], ["backfill"], ["backfill", "--apply"]]) {
    const { code, json } = await turnproof(command, env);
    const expected = [command, 0, { store: "clickhouse", nothing_to_do: true }];
    expect([command, code, json]).toEqual(expected);
  }
  const file = join(folder(), "tenants.json");
  writeFileSync(file, JSON.stringify([{ user_id: "bob", metadata: 100, secret: "canary" }]));
  const odd = await turnproof(["retention", "--tenants", file], env);
  expect([odd.code, odd.err.includes("parameter_invalid")]).toEqual([2, true]);
  expect(odd.err).not.toContain("canary");
}, 120_000);
