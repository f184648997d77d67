/**
 * @module Stored evidence of each provider, with everything that lies at rest: files as bytes, and
 * rows of a database as text as well, because an engine may compress its pages.
 */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@clickhouse/client";
import type { ClickHouseClientConfigOptions } from "@clickhouse/client";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { clickhouse, ephemeral, filesystem, mongodb, postgres } from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore } from "@turnproof/store";
import { createChdbConnection } from "chdb/connection";

import { openMemory } from "../../apps/support-desk-memory/open-memory.ts";
import { mongodbName, openMongo } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";

/** One provider: where evidence lies, and memory beside it for another process. */
export interface StoredEvidence {
  readonly store: EvidenceStore;
  /** Variables by which an app keeps its memory with the same provider. */
  readonly memoryEnv: Readonly<Record<string, string>>;
  /** Opens that memory here; undefined where it ends with the app. */
  readonly memory: (() => Promise<AdministeredMemory>) | undefined;
  /** True when app and collector may have that memory open at once. */
  readonly sharesMemory: boolean;
  /** What lies at rest, whole. */
  atRest(): Promise<readonly (string | Buffer)[]>;
  /** The same of memory: what proves that a scan finds words where they are. */
  memoryAtRest(): Promise<readonly (string | Buffer)[]>;
  close(): Promise<void>;
}

/** Every file under a directory. */
export function filesUnder(directory: string): readonly Buffer[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}

const directory = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `turnproof-${name}-`));
const remove = (...paths: readonly string[]): Promise<unknown> =>
  Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
const memoryOf = (env: Readonly<Record<string, string>>): (() => Promise<AdministeredMemory>) => {
  return () => openMemory(env);
};

async function inProcess(): Promise<StoredEvidence> {
  const store = ephemeral();
  return {
    store,
    memoryEnv: {},
    memory: undefined,
    sharesMemory: false,
    atRest: async () => {
      const slices = ["ann", "ben", null].map((tenant) =>
        store.page({ tenant }, {}, { limit: 1_000 }),
      );
      return [JSON.stringify(await Promise.all(slices))];
    },
    memoryAtRest: async () => [],
    close: () => store.close(),
  };
}

async function inFiles(): Promise<StoredEvidence> {
  const [evidence, memory] = [await directory("evidence"), await directory("memory")];
  const { evidence: store } = await filesystem({ directory: evidence });
  const memoryEnv = { MEMORY_DIR: memory };
  return {
    store,
    memoryEnv,
    memory: memoryOf(memoryEnv),
    sharesMemory: true,
    atRest: async () => filesUnder(evidence),
    memoryAtRest: async () => filesUnder(memory),
    async close() {
      await store.close();
      await remove(evidence, memory);
    },
  };
}

async function inClickhouse(): Promise<StoredEvidence> {
  const [dataDir, memory] = [await directory("evidence"), await directory("memory")];
  const store = await clickhouse({ connection: { dataDir } });
  const connection = createChdbConnection({ path: join(dataDir, "clickhouse") });
  type Injected = NonNullable<ClickHouseClientConfigOptions["connection"]>;
  const client = createClient({ connection: connection as unknown as Injected });
  const request = async (query: string): Promise<string> =>
    (await client.query({ query, format: "JSONEachRow" })).text();
  const memoryEnv = { MEMORY_DIR: memory };
  return {
    store,
    memoryEnv,
    memory: memoryOf(memoryEnv),
    sharesMemory: true,
    async atRest() {
      const tables = await request(
        "SELECT name FROM system.tables WHERE database = currentDatabase()",
      );
      const names = tables.trim().split("\n");
      const rows = names.map((line) =>
        request(`SELECT * FROM ${(JSON.parse(line) as { name: string }).name}`),
      );
      return [...(await Promise.all(rows)), ...filesUnder(dataDir)];
    },
    memoryAtRest: async () => filesUnder(memory),
    async close() {
      await client.close();
      await store.close();
      await remove(dataDir, memory);
    },
  };
}

/** All rows of all tables of a PostgreSQL, as text. */
async function tablesOf(
  rows: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<readonly string[]> {
  const tables = await rows(
    `SELECT relname AS name FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  return Promise.all(
    tables.map(async ({ name }) =>
      JSON.stringify(await rows(`SELECT whole::text FROM ${String(name)} AS whole`)),
    ),
  );
}

async function inEmbeddedPostgres(): Promise<StoredEvidence> {
  const [parent, memory] = [await directory("evidence"), await directory("memory")];
  const evidence = join(parent, "data");
  const engine = await PGlite.create(evidence, { extensions: { vector } });
  const { evidence: store } = await postgres({ client: engine });
  const memoryEnv = { MEMORY_PGLITE_DIR: join(memory, "data") };
  const request = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    (await engine.query<Record<string, unknown>>(sql)).rows;
  return {
    store,
    memoryEnv,
    memory: memoryOf(memoryEnv),
    sharesMemory: false,
    async atRest() {
      await engine.exec("CHECKPOINT");
      return [...(await tablesOf(request)), ...filesUnder(parent)];
    },
    memoryAtRest: async () => filesUnder(memory),
    async close() {
      await store.close();
      await engine.close();
      await remove(parent, memory);
    },
  };
}

/** Files of one database of a server, after a checkpoint. */
async function filesOf(server: PostgresServer, database: string): Promise<readonly Buffer[]> {
  await server.run(database, "CHECKPOINT");
  const [found] = await server.run(
    database,
    `SELECT current_setting('data_directory') AS folder, oid::text AS oid
FROM pg_database WHERE datname = current_database()`,
  );
  return filesUnder(join(String(found?.["folder"]), "base", String(found?.["oid"])));
}

async function inPostgresServer(): Promise<StoredEvidence> {
  const server = await startPostgres();
  const [evidence, memory] = [await server.createDatabase(), await server.createDatabase()];
  const { evidence: store } = await postgres({ url: server.url(evidence) });
  const memoryEnv = { MEMORY_POSTGRES_URL: server.url(memory) };
  const atRest = async (database: string): Promise<readonly (string | Buffer)[]> => [
    ...(await tablesOf((sql) => server.run(database, sql))),
    ...(await filesOf(server, database)),
  ];
  return {
    store,
    memoryEnv,
    memory: memoryOf(memoryEnv),
    sharesMemory: true,
    atRest: () => atRest(evidence),
    memoryAtRest: () => atRest(memory),
    async close() {
      await store.close();
      await server.close();
    },
  };
}

/** Without `MONGODB_URI` the driver and the protocol are real, the server is not MongoDB. */
async function inMongo(): Promise<StoredEvidence> {
  const server = await openMongo();
  const { evidence: store } = await mongodb({ url: server.url });
  const kept = server.other();
  const memoryEnv = { MEMORY_MONGODB_URL: kept.url };
  return {
    store,
    memoryEnv,
    memory: memoryOf(memoryEnv),
    sharesMemory: true,
    atRest: async () => [await server.stored(server.name)],
    memoryAtRest: async () => [await server.stored(kept.name)],
    async close() {
      await store.close();
      await server.close();
    },
  };
}

/** Every provider of evidence, by a name of what was really run. */
export const evidencePlaces: Readonly<Record<string, () => Promise<StoredEvidence>>> = {
  ephemeral: inProcess,
  filesystem: inFiles,
  "clickhouse embedded (memory: filesystem)": inClickhouse,
  "postgres embedded": inEmbeddedPostgres,
  "postgres server": inPostgresServer,
  [mongodbName]: inMongo,
};
