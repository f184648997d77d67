/**
 * @module MongoDB by the official driver over a real socket, under the whole contract. Without
 * `MONGODB_URI` the server is the test's own: that run is not a certification against MongoDB.
 */
import { mongodb } from "@turnproof/store";
import {
  capabilityClauses,
  contract,
  evidenceClauses,
  isolationClauses,
  memoryClauses,
  memoryIsolationClauses,
} from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { mongodbName, openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { effort } from "./effort.ts";

let databases: MongoDatabase;
beforeAll(async () => {
  databases = await openMongo();
});
afterAll(() => databases.close());

/** A database of its own is an empty store. */
const open = (): ReturnType<typeof mongodb> => mongodb({ url: databases.other().url });

contract(
  mongodbName,
  [
    ...capabilityClauses,
    ...evidenceClauses,
    ...isolationClauses,
    ...memoryClauses,
    ...memoryIsolationClauses,
  ],
  {
    open: async () => (await open()).evidence,
    openMemory: async () => (await open()).memory,
    async lasting() {
      const { url } = databases.other();
      return async () => (await mongodb({ url })).evidence;
    },
    effort,
    timeoutMs: 240_000,
  },
);
