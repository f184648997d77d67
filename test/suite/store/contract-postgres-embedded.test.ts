/** @module PGlite with pgvector under the whole contract: evidence, memory, isolation. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { postgres } from "@turnproof/store";
import { certifyEvidence } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { emptyPgliteDirectory } from "../../servers/pglite.ts";
import { effort } from "./effort.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import type { EmptiedPostgres } from "./embedded-postgres.ts";

let embedded: EmptiedPostgres;
beforeAll(async () => {
  embedded = await startEmbeddedPostgres();
});
const directories: string[] = [];
afterAll(async () => {
  await embedded.engine.close();
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

test("a directory keeps what was written, for one process at a time", async () => {
  const parent = await mkdtemp(join(tmpdir(), "turnproof-pglite-"));
  const path = join(parent, "data");
  const filter = { tenant: "ann" };
  const draft = { id: "row", data: {}, created_at: "2026-03-01T10:00:00Z" };
  const first = await postgres({ path });
  await first.memory.put(filter, "entity", draft);
  await expect(postgres({ path })).rejects.toMatchObject({ code: "store_locked" });
  await first.close();
  const second = await postgres({ path });
  expect((await second.memory.get(filter, "entity", "row"))?.version).toBe(1);
  await second.close();
  await rm(parent, { recursive: true, force: true });
}, 120_000);

certifyEvidence("postgres embedded", {
  open: async () => (await embedded.open()).evidence,
  openMemory: async () => (await embedded.open()).memory,
  async lasting() {
    const directory = await mkdtemp(join(tmpdir(), "turnproof-pglite-"));
    directories.push(directory);
    const path = join(directory, "data");
    // The first test here opens a directory without files.
    await emptyPgliteDirectory(path);
    return async () => (await postgres({ path })).evidence;
  },
  effort,
  timeoutMs: 240_000,
});
