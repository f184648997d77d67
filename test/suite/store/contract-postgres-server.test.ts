/** @module A real PostgreSQL server under the whole contract: evidence, memory, isolation. */
import { postgres } from "@turnproof/store";
import {
  contract,
  evidenceClauses,
  isolationClauses,
  memoryClauses,
  memoryIsolationClauses,
} from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { effort } from "./effort.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const open = async (): Promise<Awaited<ReturnType<typeof postgres>>> =>
  // A database of its own is an empty store.
  postgres({ url: server.url(await server.createDatabase()), poolSize: 3 });

const clauses = [...evidenceClauses, ...isolationClauses];
contract("postgres server", [...clauses, ...memoryClauses, ...memoryIsolationClauses], {
  open: async () => (await open()).evidence,
  openMemory: async () => (await open()).memory,
  effort,
  timeoutMs: 240_000,
});
