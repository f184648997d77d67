/**
 * @module ClickHouse as a cluster of two shards, under the contract of evidence stores. The tables
 * over the shards, and every question over them, are the engine's own `Distributed`. Both shards
 * lie in one engine: a filter on rows shows each of them its own.
 */
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";
import { twoShards } from "./cluster-config.ts";
import { checkStatements } from "./cluster-statements.ts";
import { effort } from "./effort.ts";
import { emptiedDatabases } from "./emptied-databases.ts";

let server: ClickhouseServer;
beforeAll(async () => {
  server = await startClickhouseServer(twoShards((n) => `evidence_${n}`));
});
afterAll(() => server.close());

const databases = emptiedDatabases(() => server);

function open(database: string): Promise<EvidenceStore> {
  return clickhouse({ connection: { url: server.url, database, cluster: "main" } });
}

certifyEvidence("clickhouse cluster", {
  open: () => open(databases.next()),
  async lasting() {
    const database = databases.next();
    return () => open(database);
  },
  effort,
  timeoutMs: 240_000,
});

test("every statement of the contract is one for a cluster", async () => {
  const statements = await databases.statements();
  expect(statements.length).toBeGreaterThan(100);
  expect(await checkStatements(server.url, statements)).toEqual([
    "ALTER",
    "CREATE",
    "DROP",
    "SYSTEM",
  ]);
});
