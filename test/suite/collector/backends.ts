/**
 * @module Backends: one collector per backend that the configuration can name, each over a store
 * and a memory of its own, opened as an operator would.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem, mongodb, postgres } from "@turnproof/store";
import type { MemoryDraft, MemoryStore } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import type { Collector, CollectorOptions } from "turnproof";

import { openMongo } from "../../servers/mongo-database.ts";
import { emptyPgliteDirectory } from "../../servers/pglite.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { quiet } from "./desk.ts";

/** A row of memory, put into every backend before its collector starts. */
export interface SeedRow {
  readonly tenant: string | null;
  readonly kind: "conversation" | "tool_log";
  readonly draft: MemoryDraft;
}

/** A running collector, and how its backend is called. */
export interface BackendCase {
  readonly name: string;
  readonly collector: Collector;
}

/** All collectors; closing ends servers and removes directories too. */
export interface BackendCases extends AsyncDisposable {
  readonly cases: readonly BackendCase[];
}

interface Opening {
  readonly env: Readonly<Record<string, string>>;
  readonly options: Pick<CollectorOptions, "hooks" | "now">;
  readonly rows: readonly SeedRow[];
  readonly closing: (() => Promise<unknown>)[];
}

/** Opens a collector over every backend; the first one is the reference. */
export async function openBackends(
  env: Readonly<Record<string, string>>,
  options: Opening["options"],
  rows: readonly SeedRow[],
): Promise<BackendCases> {
  const closing: (() => Promise<unknown>)[] = [];
  const opening = { env, options, rows, closing };
  const close = async (): Promise<void> => {
    for (const end of closing.splice(0).toReversed()) await end();
  };
  try {
    const server = await startPostgres();
    closing.push(() => server.close());
    const cases = [
      await ephemeralCase(opening),
      await plainCase(opening, "filesystem"),
      await plainCase(opening, "clickhouse"),
      await postgresCase(opening, server),
      await embeddedPostgresCase(opening),
      await mongodbCase(opening),
    ];
    return { cases, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function directory({ closing }: Opening): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "turnproof-backend-"));
  closing.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function seed(memory: MemoryStore, rows: readonly SeedRow[]): Promise<void> {
  for (const { tenant, kind, draft } of rows) {
    const { agent_id: agentId, memory_id: memoryId, thread_id: threadId } = draft;
    const place = {
      tenant,
      ...(agentId === undefined ? {} : { agentId }),
      ...(memoryId === undefined ? {} : { memoryId }),
      ...(threadId === undefined ? {} : { threadId }),
    };
    await memory.put(place, kind, draft);
  }
}

async function start(
  opening: Opening,
  name: string,
  more: {
    readonly env: Readonly<Record<string, string>>;
    readonly dataDir: string;
    readonly given?: Pick<CollectorOptions, "store" | "memory">;
  },
): Promise<BackendCase> {
  const collector = await createCollector({
    config: parseConfig({
      ...opening.env,
      TURNPROOF_DATA_DIR: more.dataDir,
      ...more.env,
    }),
    log: quiet,
    // Verdicts of the background judge come when it looks; here nothing may depend on when.
    judge: false,
    ...opening.options,
    ...more.given,
  });
  opening.closing.push(() => collector.close());
  return { name, collector };
}

async function ephemeralCase(opening: Opening): Promise<BackendCase> {
  const dataDir = await directory(opening);
  const place = await filesystem({ directory: join(dataDir, "memory") });
  await seed(place.memory, opening.rows);
  await place.close();
  return start(opening, "ephemeral", { env: { TURNPROOF_BACKEND: "ephemeral" }, dataDir });
}

async function plainCase(
  opening: Opening,
  backend: "clickhouse" | "filesystem",
): Promise<BackendCase> {
  const dataDir = await directory(opening);
  const place = await filesystem({ directory: join(dataDir, "memory") });
  await seed(place.memory, opening.rows);
  await place.close();
  return start(opening, backend, { env: { TURNPROOF_BACKEND: backend }, dataDir });
}

async function postgresCase(opening: Opening, server: PostgresServer): Promise<BackendCase> {
  const url = server.url(await server.createDatabase());
  const provider = await postgres({ url });
  await seed(provider.memory, opening.rows);
  await provider.close();
  return start(opening, "postgres server", {
    env: {
      TURNPROOF_BACKEND: "postgres",
      TURNPROOF_MEMORY_BACKEND: "postgres",
      TURNPROOF_POSTGRES_URL: url,
    },
    dataDir: await directory(opening),
  });
}

async function embeddedPostgresCase(opening: Opening): Promise<BackendCase> {
  const dataDir = await directory(opening);
  const path = join(dataDir, "postgres");
  await emptyPgliteDirectory(path);
  const provider = await postgres({ path });
  opening.closing.push(() => provider.close());
  await seed(provider.memory, opening.rows);
  const given = { store: provider.evidence, memory: provider.memory };
  return start(opening, "postgres embedded", { env: {}, dataDir, given });
}

async function mongodbCase(opening: Opening): Promise<BackendCase> {
  // A real server certifies; without one, the test's own answers the provider's requests.
  const databases = await openMongo();
  opening.closing.push(() => databases.close());
  const { url } = databases.other();
  const provider = await mongodb({ url });
  await seed(provider.memory, opening.rows);
  await provider.close();
  const env = {
    TURNPROOF_BACKEND: "mongodb",
    TURNPROOF_MEMORY_BACKEND: "mongodb",
    DOCUMENT_DB_URI: url,
  };
  return start(opening, "mongodb", { env, dataDir: await directory(opening) });
}
