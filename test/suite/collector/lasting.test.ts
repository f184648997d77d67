/**
 * @module Lasting: of every provider of the table, rows outlive the store that wrote them exactly
 * where the table has `durable`: evidence, turns and memory, opened as a collector opens them. A
 * batch that was prepared elsewhere is taken where the table has `prepared`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { providers } from "@turnproof/store";
import { allTenants, receivedAt, sampleTurn } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openings } from "../../../collector/src/backend/backend.ts";
import { parseConfig } from "../../../collector/src/config/read-config.ts";
import { recordStored } from "../../../packages/store/src/ledger/record-roots.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";

let server: PostgresServer;
let databases: MongoDatabase;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-lasting-"));
  server = await startPostgres();
  databases = await openMongo();
});
afterAll(async () => {
  await databases.close();
  await server.close();
  await rm(directory, { recursive: true });
});

const draft = { id: "m", text: "words", data: {}, created_at: "2026-11-23T10:00:00.000Z" };

/** The variable without which a provider of the table is not opened. */
async function requiredOf(name: string | undefined): Promise<Record<string, string>> {
  if (name === "POSTGRES_URL") {
    return { TURNPROOF_POSTGRES_URL: server.url(await server.createDatabase()) };
  }
  return name === undefined ? {} : { [name]: databases.other().url };
}

const cases = providers.map(({ name, capabilities, required }) => ({
  name,
  capabilities,
  required,
}));

test.each(cases)("rows of $name", async ({ name, capabilities, required }) => {
  const config = parseConfig({
    TURNPROOF_BACKEND: name,
    TURNPROOF_DATA_DIR: join(directory, name),
    ...(await requiredOf(required)),
  });
  const lasts = capabilities.includes("durable");
  const { evidence, memory } = openings[name];
  {
    await using store = await evidence?.(config, {});
    await store?.append({ batchId: "b", receivedAt: receivedAt(1), events: sampleTurn("r", {}) });
    if (store !== undefined) await recordStored(store, allTenants, ["r"]);
    expect(store?.capabilities ?? capabilities).toEqual(capabilities);
    await using rows = await memory?.(config);
    await rows?.put({ tenant: "ann", agentId: "a" }, "conversation", draft);
  }
  await using store = await evidence?.(config, {});
  if (store !== undefined) {
    const { events } = await store.root(allTenants, "r", { limit: 100 });
    expect(events).toHaveLength(lasts ? sampleTurn("r", {}).length : 0);
    expect(await store.ledger.turnsOf(["r"])).toHaveLength(lasts ? 1 : 0);
  }
  await using rows = await memory?.(config);
  if (rows !== undefined) {
    const held = await rows.get({ tenant: "ann", agentId: "a" }, "conversation", "m");
    expect(held?.text).toBe(lasts ? "words" : undefined);
  }
  expect([store !== undefined, rows !== undefined]).toEqual([
    capabilities.includes("evidence"),
    capabilities.includes("memory"),
  ]);
});
