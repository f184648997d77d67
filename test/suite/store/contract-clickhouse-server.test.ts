/** @module ClickHouse by URL, over a real socket, under the contract of evidence stores. */
import { clickhouse } from "@turnproof/store";
import { contract, evidenceClauses, isolationClauses } from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";
import { effort } from "./effort.ts";

let server: ClickhouseServer;
let databases = 0;
beforeAll(async () => {
  server = await startClickhouseServer({ user: "turnproof", password: "pass word:'" });
});
afterAll(() => server.close());

contract("clickhouse server", [...evidenceClauses, ...isolationClauses], {
  // A database of its own is an empty store.
  open: async () => {
    databases += 1;
    const { url } = server;
    const account = { user: "turnproof", password: "pass word:'" };
    return clickhouse({ connection: { url, ...account, database: `evidence_${databases}` } });
  },
  effort,
  timeoutMs: 240_000,
});
