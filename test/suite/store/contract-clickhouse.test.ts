/** @module ClickHouse, embedded, under the contract of evidence stores. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clickhouse } from "@turnproof/store";
import {
  capabilityClauses,
  contract,
  evidenceClauses,
  isolationClauses,
} from "@turnproof/store/testing";
import { afterAll } from "vitest";

import { effort } from "./effort.ts";

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-store-"));
  directories.push(directory);
  return directory;
}

contract("clickhouse embedded", [...capabilityClauses, ...evidenceClauses, ...isolationClauses], {
  open: async () => clickhouse({ connection: { dataDir: await newDirectory() } }),
  async lasting() {
    const dataDir = await newDirectory();
    return () => clickhouse({ connection: { dataDir } });
  },
  effort,
  timeoutMs: 240_000,
});
