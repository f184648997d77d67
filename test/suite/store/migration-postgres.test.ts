/** @module The schema: 001_add_user_id.sql over legacy data, roles, versions. */
import { readFile } from "node:fs/promises";

import { postgres } from "@turnproof/store";
import { unscoped } from "@turnproof/store/admin";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  await server.createRole("app");
});
afterAll(() => server.close());

const script = (name: string): Promise<string> =>
  readFile(new URL(`../../../packages/store/sql/postgres/${name}`, import.meta.url), "utf8");

const tables = {
  conversation_memory: "conversation",
  summaries: "summary",
  entity_memory: "entity",
  workflow_memory: "workflow_step",
  tool_logs: "tool_log",
  semantic_cache: "semantic_cache",
  feedback: "feedback",
} as const;

/** A database as it was before tenants, with two rows in every table. */
async function legacyDatabase(): Promise<string> {
  const database = await server.createDatabase();
  await server.run(database, await script("000_base.sql"));
  for (const table of Object.keys(tables)) {
    await server.run(
      database,
      `INSERT INTO ${table} (id, memory_id, body, embedding, data, created_at, created_key, updated_at)
SELECT 'old-' || n, 'm-' || n, 'green tea', '{1,0.5}', '{"n": 1}', '2025-01-01T00:00:00Z',
    '2025-01-01T00:00:00.000000000', '2025-01-01T00:00:00Z' FROM generate_series(1, 2) AS n`,
    );
  }
  return database;
}

test("the migration of tenants only adds: nullable columns, no row rewritten", async () => {
  const database = await legacyDatabase();
  const sql = (await script("001_add_user_id.sql")).replace(/^--.*$/gm, "");
  expect(sql).not.toMatch(/\b(DROP|DELETE|UPDATE|TRUNCATE|NOT NULL|DEFAULT|RENAME|TYPE)\b/i);
  const before = await server.run(database, "SELECT to_jsonb(t)::text AS row FROM summaries t");
  // By hand, once, by the owner of the schema; a second time does no harm.
  await server.run(database, sql);
  await server.run(database, sql);
  for (const table of Object.keys(tables)) {
    const [column] = await server.run(
      database,
      `SELECT is_nullable FROM information_schema.columns
WHERE table_name = '${table}' AND column_name = 'user_id'`,
    );
    expect(column).toEqual({ is_nullable: "YES" });
    const rows = await server.run(database, `SELECT user_id FROM ${table}`);
    expect(rows).toEqual([{ user_id: null }, { user_id: null }]);
  }
  const after = await server.run(
    database,
    "SELECT (to_jsonb(t) - 'user_id')::text AS row FROM summaries t",
  );
  expect(after).toEqual(before);
});

test("legacy rows are anonymous, no tenant reads them, and entities can be adopted", async () => {
  const database = await legacyDatabase();
  await using store = await postgres({ url: server.url(database) });
  const { memory } = store;
  for (const kind of Object.values(tables)) {
    const legacy = await memory.list({ tenant: null }, kind, { limit: 9 });
    expect(legacy.records.map(({ id, user_id }) => [id, user_id])).toEqual([
      ["old-1", null],
      ["old-2", null],
    ]);
    for (const tenant of ["ann", "null", "anonymous", "NULL"]) {
      const filter = { tenant };
      expect(await memory.count(filter, kind)).toBe(0);
      expect(await memory.get(filter, kind, "old-1")).toBeUndefined();
      const near = await memory.vectorSearch(filter, kind, { embedding: [1, 0.5], limit: 5 });
      expect(near.hits).toEqual([]);
      expect((await memory.textSearch(filter, kind, { text: "tea", limit: 5 })).hits).toEqual([]);
    }
    const near = await memory.vectorSearch({ tenant: null }, kind, { embedding: [1, 0], limit: 5 });
    expect(near.hits).toHaveLength(2);
    // The same id is free for a user.
    await memory.put({ tenant: "ann" }, kind, {
      id: "old-1",
      data: {},
      created_at: "2026-01-01T00:00:00Z",
    });
    expect(await memory.admin.count(unscoped, kind)).toBe(3);
  }
  // The user's own old-1 is the newer truth, so the legacy row of m-1 stays where it is.
  const adopt = { memoryId: "m-1", userId: "ann" };
  expect(await memory.admin.migrateLegacyEntities(adopt)).toBe(0);
  expect(await memory.admin.migrateLegacyEntities({ memoryId: "m-2", userId: "ann" })).toBe(1);
  expect(await memory.admin.migrateLegacyEntities({ memoryId: "m-2", userId: "ann" })).toBe(0);
  expect((await memory.get({ tenant: "ann" }, "entity", "old-2"))?.version).toBe(2);
  expect(await memory.count({ tenant: null }, "entity")).toBe(1);
});

test("many processes may open an empty database at once", async () => {
  const url = server.url(await server.createDatabase());
  const stores = await Promise.all(Array.from({ length: 5 }, () => postgres({ url })));
  for (const store of stores) {
    expect((await store.memory.check()).ok).toBe(true);
    expect((await store.evidence.check()).ok).toBe(true);
    await store.close();
  }
});

test("a role without rights on the schema works in it, and says when it is behind", async () => {
  const database = await server.createDatabase();
  const url = server.url(database, "app");
  await expect(postgres({ url, migrate: false })).rejects.toMatchObject({ code: "not_configured" });
  await (await postgres({ url: server.url(database) })).close();
  await server.run(
    database,
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO app",
  );
  await using store = await postgres({ url, migrate: false });
  const draft = { id: "a", data: {}, created_at: "2026-01-01T00:00:00Z" };
  expect((await store.memory.put({ tenant: "u" }, "entity", draft)).version).toBe(1);
});

test("data of a newer version is refused", async () => {
  const database = await server.createDatabase();
  const url = server.url(database);
  await (await postgres({ url })).close();
  await server.run(database, "INSERT INTO turnproof_migrations VALUES (999, 'future')");
  await expect(postgres({ url })).rejects.toMatchObject({ code: "store_version_newer" });
});
