/** @module PGlite with pgvector under the whole contract: evidence, memory, isolation. */
import {
  contract,
  evidenceClauses,
  isolationClauses,
  memoryClauses,
  memoryIsolationClauses,
} from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { effort } from "./effort.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import type { EmptiedPostgres } from "./embedded-postgres.ts";

let embedded: EmptiedPostgres;
beforeAll(async () => {
  embedded = await startEmbeddedPostgres();
});
afterAll(() => embedded.engine.close());

const clauses = [...evidenceClauses, ...isolationClauses];
contract("postgres embedded", [...clauses, ...memoryClauses, ...memoryIsolationClauses], {
  open: async () => (await embedded.open()).evidence,
  openMemory: async () => (await embedded.open()).memory,
  effort,
  timeoutMs: 240_000,
});
