/** @module ClickHouse, embedded, under the contract of evidence stores. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clickhouse } from "@turnproof/store";
import { contract, evidenceClauses } from "@turnproof/store/testing";
import { afterAll } from "vitest";

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

contract("clickhouse embedded", evidenceClauses, {
  open: async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "turnproof-store-"));
    directories.push(dataDir);
    return clickhouse({ connection: { dataDir } });
  },
});
