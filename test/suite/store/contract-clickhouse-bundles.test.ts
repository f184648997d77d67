/** @module Packed bundles in ClickHouse, embedded, under the contract of evidence stores. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { contract, evidenceClauses, isolationClauses } from "@turnproof/store/testing";
import { afterAll } from "vitest";

import { bundlesTableSql } from "../../../packages/store/src/clickhouse/bundle-table.ts";
import { clickhouseBundles } from "../../../packages/store/src/clickhouse/clickhouse-bundles.ts";
import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { migrate } from "../../../packages/store/src/clickhouse/migration.ts";
import { effort } from "./effort.ts";

const directories: string[] = [];
afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

contract("clickhouse bundles", [...evidenceClauses, ...isolationClauses], {
  open: async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "turnproof-store-"));
    directories.push(dataDir);
    const engine = await openEngine({ dataDir });
    await migrate(engine);
    await engine.command(bundlesTableSql);
    return clickhouseBundles(engine);
  },
  effort,
  timeoutMs: 240_000,
});
