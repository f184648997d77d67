/** @module ClickHouse, embedded, under the contract of evidence stores. */
import { clickhouse } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";
import { afterAll } from "vitest";

import { effort } from "./effort.ts";
import { migratedDirectories } from "./migrated-directory.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
const migrated = migratedDirectories();
afterAll(async () => {
  await directories.remove();
  await migrated.remove();
});

certifyEvidence("clickhouse embedded", {
  open: async () => clickhouse({ connection: { dataDir: await migrated.make() } }),
  async lasting() {
    // Its first opening migrates an empty directory.
    const dataDir = await directories.make();
    return () => clickhouse({ connection: { dataDir } });
  },
  effort,
  timeoutMs: 240_000,
});
