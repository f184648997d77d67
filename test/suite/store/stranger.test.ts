/**
 * @module A stranger's isolation driver: random commands of many hostile tenants against what
 * `@turnproof/store` publishes and nothing else, with a model of its own. Every row bears the mark
 * of its owner; no answer to one tenant may hold another's, and each answer is the model's.
 * `STRANGER_COMMANDS` and `STRANGER_SEED` steer it.
 */
import type { PGlite } from "@electric-sql/pglite";
import {
  clickhouse,
  ephemeral,
  ephemeralMemory,
  filesystem,
  mongodb,
  postgres,
} from "@turnproof/store";
import type { AdministeredMemory, EvidenceStore, MemoryFilter } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { startPglite } from "../../servers/pglite.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { driveEvidence } from "./stranger-evidence.ts";
import { driveMemory } from "./stranger-memory.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const effort = {
  commands: Number(process.env["STRANGER_COMMANDS"] ?? 250),
  seed: Number(process.env["STRANGER_SEED"] ?? 20_261_121),
};

const directories = temporaryDirectories();
let mongo: MongoDatabase;
let server: PostgresServer;
let engine: PGlite;
beforeAll(async () => {
  mongo = await openMongo();
  server = await startPostgres();
  engine = await startPglite();
});
afterAll(async () => {
  await directories.remove();
  await mongo.close();
  await engine.close();
  await server.close();
});

interface Stores {
  readonly evidence: EvidenceStore;
  readonly memory?: AdministeredMemory;
  close(): Promise<void>;
}

const providers: Readonly<Record<string, () => Promise<Stores>>> = {
  ephemeral: async () => {
    const [evidence, memory] = [ephemeral(), ephemeralMemory()];
    return { evidence, memory, close: async () => {} };
  },
  filesystem: async () => filesystem({ directory: await directories.make() }),
  mongodb: () => mongodb({ url: mongo.other().url }),
  "postgres embedded": () => postgres({ client: engine }),
  "postgres server": async () => postgres({ url: server.url(await server.createDatabase()) }),
  clickhouse: async () => {
    const evidence = await clickhouse({ connection: { dataDir: await directories.make() } });
    return { evidence, close: () => evidence.close() };
  },
};

describe.each(Object.keys(providers))("a stranger meets %s", (name) => {
  test("and learns nothing of anybody else", { timeout: 240_000 }, async () => {
    const stores = await (providers[name] as () => Promise<Stores>)();
    try {
      if (stores.memory !== undefined) await driveMemory(stores.memory, effort);
      // An engine with a tenth of a second for each read is read by every third.
      await driveEvidence(stores.evidence, effort, name === "clickhouse" ? 3 : 1);
    } finally {
      await stores.close();
    }
  });
});

test("the driver itself sees a store that mixes two tenants up", async () => {
  const memory = ephemeralMemory();
  const folded = (filter: MemoryFilter): MemoryFilter => ({
    ...filter,
    tenant: typeof filter.tenant === "string" ? filter.tenant.normalize("NFKC") : filter.tenant,
  });
  const mixed: AdministeredMemory = {
    ...memory,
    put: (filter, kind, draft) => memory.put(folded(filter), kind, draft),
    get: (filter, kind, id) => memory.get(folded(filter), kind, id),
    list: (filter, kind, options) => memory.list(folded(filter), kind, options),
  };
  await expect(driveMemory(mixed, effort)).rejects.toThrow();
  const evidence = ephemeral();
  const leaking: EvidenceStore = {
    ...evidence,
    find: (scope, id, query, options) =>
      evidence.find("tenant" in scope ? { tenant: null } : scope, id, query, options),
  };
  await expect(driveEvidence(leaking, effort)).rejects.toThrow();
});
