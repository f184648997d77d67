/** @module ClickHouse by URL, over a real socket, under the contract of evidence stores. */
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";
import { afterAll, beforeAll } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";
import { effort } from "./effort.ts";
import { emptiedDatabases } from "./emptied-databases.ts";

let server: ClickhouseServer;
beforeAll(async () => {
  server = await startClickhouseServer({ user: "turnproof", password: "pass word:'" });
});
afterAll(() => server.close());

const databases = emptiedDatabases(() => server, {
  "x-clickhouse-user": "turnproof",
  "x-clickhouse-key": "pass word:'",
});

function open(database: string): Promise<EvidenceStore> {
  const { url } = server;
  const account = { user: "turnproof", password: "pass word:'" };
  return clickhouse({ connection: { url, ...account, database } });
}

certifyEvidence("clickhouse server", {
  open: () => open(databases.next()),
  async lasting() {
    const database = databases.next();
    return () => open(database);
  },
  effort,
  timeoutMs: 240_000,
});
