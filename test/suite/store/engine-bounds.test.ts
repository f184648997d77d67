/** @module The embedded engine is bounded: its caches, and the threads that it keeps. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import { engineBounds } from "../../../packages/store/src/clickhouse/engine-arguments.ts";

test("every bound is a setting of the engine and in force, also when it is opened again", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "engine-bounds-"));
  for (let round = 0; round < 2; round += 1) {
    const engine = await openEngine({ dataDir });
    const names = Object.keys(engineBounds).map((name) => `'${name}'`);
    const { columns } = await engine.query(
      `SELECT name, value FROM system.server_settings WHERE name IN (${names.join(", ")})`,
    );
    const values = columns.get("value") ?? [];
    const inForce = columns.get("name")?.map((name, at) => [name, Number(values[at])]) ?? [];
    expect(Object.fromEntries(inForce)).toEqual(engineBounds);
    await engine.close();
  }
  await rm(dataDir, { recursive: true, force: true });
});
