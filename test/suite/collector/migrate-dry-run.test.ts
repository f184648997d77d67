/**
 * `turnproof migrate` without `--apply` over what the last version wrote, on each provider: it
 * prints what waits, and nothing that is stored differs afterwards.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import type { TurnEvent } from "@turnproof/evidence";
import { sampleTurn } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { openPool, startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";

const root = join(import.meta.dirname, "../../..");
const folders: string[] = [];
const clients: MongoClient[] = [];
const pools: Pool[] = [];
let mongo: MongoDatabase;
let server: PostgresServer;
beforeAll(async () => {
  mongo = await openMongo();
  server = await startPostgres();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  for (const pool of pools) await pool.end();
  await mongo.close();
  await server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A store of the last version. */
interface Ground {
  readonly env: Record<string, string>;
  /** Events that a dry run counts, where it can before the schema is changed. */
  readonly events?: number;
  /** Everything that is stored. */
  readonly lies: () => Promise<readonly string[]>;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "turnproof-dry-run-"));
  folders.push(made);
  return made;
}

/** Runs the command as it is built and returns its exit code and the state of evidence. */
function migrate(
  flags: readonly string[],
  env: Record<string, string>,
): Promise<readonly [number, unknown]> {
  const argv = [join(root, "collector/bin/turnproof.js"), "migrate", ...flags, "--json"];
  const options = { cwd: root, env: { PATH: process.env["PATH"], ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, argv, options, (error, out) => {
      const stated = JSON.parse(out) as { readonly stores: readonly unknown[] };
      resolve([error === null ? 0 : Number(error.code), stated.stores[0]]);
    });
  });
}

/** Every file below a folder, by its bytes. */
function bytesOf(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return `${file} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
    })
    .toSorted();
}

const event = {
  ...(sampleTurn("earlier", { user_id: "ann" })[0] as TurnEvent),
  source_store: "trace",
  received_at: "2026-11-01T10:00:00.000000Z",
};
const micros = Date.parse(event.received_at) * 1_000;

/** A folder with one batch file, as the last version wrote it. */
function filesGround(): Ground {
  const dataDir = folder();
  const batches = join(dataDir, "files", "evidence", "batches", "2026-11-01");
  mkdirSync(batches, { recursive: true });
  const line = `${JSON.stringify(event)}\n`;
  const part = {
    root: "earlier",
    at: 0,
    length: line.length,
    rows: 1,
    first: micros,
    last: micros,
  };
  const manifest = JSON.stringify({
    format: 1,
    batch_id: "first",
    received_at: event.received_at,
    rows: 1,
    checksum: createHash("sha256").update(line).digest("hex"),
    roots: [part],
  });
  const length = String(manifest.length + 1).padStart(12, "0");
  const name = `b_${createHash("sha256").update("first").digest("hex")}.ndjson`;
  writeFileSync(join(batches, name), `${line}${manifest}\n${length}\n`);
  return {
    env: { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "filesystem" },
    events: 1,
    lies: async () => bytesOf(dataDir),
  };
}

async function clickhouseGround(): Promise<Ground> {
  const dataDir = folder();
  const store = join(root, "test/fixtures/clickhouse-008/store.tar.gz");
  const held = join(dataDir, "clickhouse");
  mkdirSync(held);
  await promisify(execFile)("tar", ["-xzf", store, "-C", held]);
  return {
    env: { TURNPROOF_DATA_DIR: dataDir, TURNPROOF_BACKEND: "clickhouse" },
    lies: () => tablesIn(held),
  };
}

/** Tables and their rows; the engine merges their files by itself whenever it runs. */
async function tablesIn(dataDir: string): Promise<readonly string[]> {
  const engine = await openEngine({ dataDir });
  try {
    const answer = await engine.query(
      `SELECT name, create_table_query AS made FROM system.tables
WHERE database = currentDatabase() AND engine != 'View' ORDER BY name`,
    );
    const names = (answer.columns.get("name") ?? []) as readonly string[];
    const found = names.map((name, at) => `${name} ${String(answer.columns.get("made")?.[at])}`);
    for (const name of names) {
      const rows = await engine.query(
        `SELECT toFloat64(count()) AS n, toString(sum(cityHash64(*))) AS held FROM ${name}`,
      );
      found.push(`${name} ${JSON.stringify([...rows.columns])}`);
    }
    return found;
  } finally {
    await engine.close();
  }
}

const mongoCollections = [
  "entity_memory",
  "evidence_batches",
  "evidence_bundles",
  "evidence_copies",
  "evidence_events",
  "evidence_verdicts",
  "root_epochs",
  "turn_ledger",
];

async function mongoGround(): Promise<Ground> {
  const { url, name } = mongo.other();
  const client = await new MongoClient(url).connect();
  clients.push(client);
  const database = client.db(name);
  await database.collection("evidence_events").insertOne({
    _id: "first:0000000" as never,
    batch_id: "first",
    received_us: micros,
    root_trace_id: "earlier",
    event: JSON.stringify(event),
  });
  return {
    env: {
      TURNPROOF_DATA_DIR: folder(),
      TURNPROOF_BACKEND: "mongodb",
      TURNPROOF_MEMORY_BACKEND: "mongodb",
      DOCUMENT_DB_URI: url,
    },
    events: 1,
    lies: async () =>
      Promise.all(
        mongoCollections.map(async (held) => {
          const collection = database.collection(held);
          const indexes = await collection.indexes().catch(() => []);
          return JSON.stringify([held, indexes, await collection.find().toArray()]);
        }),
      ),
  };
}

async function postgresGround(): Promise<Ground> {
  const url = server.url(await server.createDatabase());
  const pool = openPool({ connectionString: url });
  pools.push(pool);
  // The server ends before the last connection is gone.
  pool.on("error", () => {});
  await pool.query(`CREATE TABLE turnproof_migrations (version int PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())`);
  const scripts = join(root, "packages/store/sql/postgres");
  const earlier = readdirSync(scripts).filter((name) => /^00[0-4]_/.test(name));
  for (const [version, name] of earlier.toSorted().entries()) {
    await pool.query(readFileSync(join(scripts, name), "utf8"));
    const stated = [version, name.replace(".sql", "")];
    await pool.query("INSERT INTO turnproof_migrations VALUES ($1, $2)", stated);
  }
  await pool.query(
    `INSERT INTO evidence_batches (batch_id, event_count) VALUES ('first', 1);
INSERT INTO evidence_events (batch_no, received_us, event_ns, root_trace_id, tenant_said,
    event_kind, status, source_store, mentions, event)
SELECT batch_no, ${micros}, 0, 'earlier', true, 'turn', 'success', 'trace', '{}',
    '${JSON.stringify(event)}' FROM evidence_batches`,
  );
  return {
    env: {
      TURNPROOF_DATA_DIR: folder(),
      TURNPROOF_BACKEND: "postgres",
      TURNPROOF_MEMORY_BACKEND: "postgres",
      TURNPROOF_POSTGRES_URL: url,
    },
    lies: async () => dumpOf(pool),
  };
}

/** Names of everything in the schema, and all rows. */
async function dumpOf(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string; kind: string }>(
    `SELECT relname AS name, relkind AS kind FROM pg_class
WHERE relnamespace = 'public'::regnamespace ORDER BY relname`,
  );
  const tables = rows.filter(({ kind }) => kind === "r");
  const held = tables.map(async ({ name }) => {
    const all = await pool.query(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    return `${name} ${JSON.stringify(all.rows)}`;
  });
  return [JSON.stringify(rows), ...(await Promise.all(held))];
}

const grounds: Readonly<Record<string, () => Ground | Promise<Ground>>> = {
  filesystem: filesGround,
  clickhouse: clickhouseGround,
  mongodb: mongoGround,
  postgres: postgresGround,
};

test.each(Object.keys(grounds))(
  "a dry run changes nothing in %s; what is copied is compared, then dropped",
  { timeout: 240_000 },
  async (name) => {
    const { env, lies, events } = await (grounds[name] as () => Promise<Ground>)();
    const before = await lies();
    const waits = events === undefined ? {} : { earlier: { events, copied: 0 } };
    for (const flags of [[], ["--check"], ["--drop-old"]]) {
      const ran = await migrate(flags, env);
      expect([flags, ran]).toMatchObject([flags, [3, { schema: "behind", ...waits }]]);
      expect([flags, await lies()]).toEqual([flags, before]);
    }
    expect(await migrate(["--apply"], env)).toMatchObject([0, { schema: "ready" }]);
    const copied = await lies();
    const parity = { missing: 0, roots: 0, deleted: 0, complete: true };
    expect(await migrate(["--check"], env)).toMatchObject([0, { schema: "ready", parity }]);
    expect(await lies()).toEqual(copied);
    const [code, stated] = await migrate(["--apply", "--drop-old"], env);
    const { earlier } = stated as { readonly earlier?: { readonly events: number } };
    expect([code, stated, earlier?.events ?? 0]).toMatchObject([0, { schema: "ready" }, 0]);
  },
);
