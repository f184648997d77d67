/** @module ClickHouse by URL, over a real socket, under the contract of evidence stores. */
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import {
  capabilityClauses,
  contract,
  evidenceClauses,
  isolationClauses,
} from "@turnproof/store/testing";
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

/** A database of its own is an empty store. */
function newDatabase(): string {
  databases += 1;
  return `evidence_${databases}`;
}

function open(database: string): Promise<EvidenceStore> {
  const { url } = server;
  const account = { user: "turnproof", password: "pass word:'" };
  return clickhouse({ connection: { url, ...account, database } });
}

contract("clickhouse server", [...capabilityClauses, ...evidenceClauses, ...isolationClauses], {
  open: () => open(newDatabase()),
  async lasting() {
    const database = newDatabase();
    return () => open(database);
  },
  effort,
  timeoutMs: 240_000,
});
