/** @module A real PostgreSQL server under the whole contract: evidence, memory, isolation. */
import { postgres } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { effort } from "./effort.ts";

let server: PostgresServer;
/** A database with the schema and no rows. */
let pattern: string;
beforeAll(async () => {
  server = await startPostgres();
  pattern = await server.createDatabase();
  await (await postgres({ url: server.url(pattern) })).close();
});
afterAll(() => server.close());

const open = async (): Promise<Awaited<ReturnType<typeof postgres>>> =>
  // A database of its own is an empty store.
  postgres({ url: server.url(await server.createDatabase({ like: pattern })), poolSize: 3 });

certifyEvidence("postgres server", {
  open: async () => (await open()).evidence,
  openMemory: async () => (await open()).memory,
  async lasting() {
    const url = server.url(await server.createDatabase({ like: pattern }));
    return async () => (await postgres({ url, poolSize: 3 })).evidence;
  },
  effort,
  timeoutMs: 240_000,
});
