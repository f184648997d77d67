/**
 * @module MongoDB by the official driver over a real socket, under the whole contract. Without
 * `MONGODB_URI` the server is the test's own: that run is not a certification against MongoDB.
 */
import { mongodb } from "@turnproof/store";
import {
  contract,
  evidenceClauses,
  isolationClauses,
  memoryClauses,
  memoryIsolationClauses,
} from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import type { MongoServer } from "../../servers/mongodb.ts";
import { effort } from "./effort.ts";

const uri = process.env["MONGODB_URI"];
let server: MongoServer | undefined;
let databases = 0;

beforeAll(async () => {
  if (uri === undefined) server = await startMongo();
});
afterAll(() => server?.close());

const open = (): ReturnType<typeof mongodb> =>
  // A database of its own is an empty store.
  mongodb({
    url: uri ?? server?.url ?? "",
    database: `contract_${Date.now()}_${(databases += 1)}`,
  });

const clauses = [...evidenceClauses, ...isolationClauses];
contract(
  uri === undefined ? "mongodb (test server, not certified)" : "mongodb",
  [...clauses, ...memoryClauses, ...memoryIsolationClauses],
  {
    open: async () => (await open()).evidence,
    openMemory: async () => (await open()).memory,
    effort,
    timeoutMs: 240_000,
  },
);
