/**
 * @module Row-level security under the filters: three explicit states, proven with the filters
 * removed, on a pool that fifty tenants share while statements are cancelled and connections die.
 */
import { postgres } from "@turnproof/store";
import type { MemoryStore, PostgresPool, PostgresProvider } from "@turnproof/store";
import { certifyMemory } from "@turnproof/store/testing";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { openPool, startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { effort } from "./effort.ts";
import { hasTenant, watchedPool, withoutTenant } from "./statement-postgres.ts";

let server: PostgresServer;
/** A database with policies and no rows, as its owner made it. */
let pattern: string;
beforeAll(async () => {
  server = await startPostgres();
  await server.createRole("keeper");
  pattern = await server.createDatabase({ owner: "keeper" });
  const store = await postgres({ url: server.url(pattern, "keeper") });
  await store.installRowSecurity();
  await store.installRowSecurity();
  await store.close();
});
afterAll(() => server.close());

const pools: pg.Pool[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.end();
});

const newDatabase = (): Promise<string> =>
  server.createDatabase({ owner: "keeper", like: pattern });

function poolOf(database: string, max = 2): pg.Pool {
  const pool = openPool({ connectionString: server.url(database, "keeper"), max });
  pool.on("error", () => {});
  pools.push(pool);
  return pool;
}

const guardedStore = (database: string, client: PostgresPool): Promise<PostgresProvider> =>
  postgres({ client, rowSecurity: true, adminUrl: server.url(database) });

const draft = (id: string, text = "tea"): Parameters<MemoryStore["put"]>[2] => ({
  id,
  text,
  embedding: [1, 2],
  data: {},
  created_at: "2026-03-01T10:00:00Z",
});

async function fill(memory: MemoryStore): Promise<void> {
  for (const tenant of ["ann", "bob", null]) {
    for (const id of ["one", "two"]) await memory.put({ tenant }, "entity", draft(id));
  }
}

certifyMemory("postgres under row security", {
  openMemory: async () => {
    const database = await newDatabase();
    const url = server.url(database, "keeper");
    const adminUrl = server.url(database);
    return (await postgres({ url, poolSize: 2, rowSecurity: true, adminUrl })).memory;
  },
  effort: { ...effort, sequences: Math.ceil(effort.sequences / 2) },
  timeoutMs: 240_000,
});

describe("the policies alone", () => {
  test("show nothing to a connection that said nothing, and three states to one that did", async () => {
    const database = await newDatabase();
    const pool = poolOf(database, 1);
    await fill((await guardedStore(database, pool)).memory);
    const shown = async (state: string | undefined, tenant = ""): Promise<unknown> => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        if (state !== undefined) {
          const sql =
            "SELECT set_config('turnproof_scope.state', $1, true), set_config('turnproof_scope.tenant', $2, true)";
          await client.query(sql, [state, tenant]);
        }
        const { rows } = await client.query("SELECT DISTINCT user_id FROM entity_memory");
        await client.query("COMMIT");
        return rows.map((row: { user_id: string | null }) => row.user_id);
      } finally {
        client.release();
      }
    };
    expect(await shown(undefined)).toEqual([]);
    expect(await shown("user", "ann")).toEqual(["ann"]);
    expect(await shown("user", "")).toEqual([]);
    expect(await shown("anonymous")).toEqual([null]);
    expect(await shown("anonymous", "ann")).toEqual([null]);
    for (const state of ["", "admin", "USER", "*"]) expect(await shown(state, "ann")).toEqual([]);
    // The same connection, after all of it, is as if nothing had been set.
    expect(await shown(undefined)).toEqual([]);
  });

  test("refuse a row of another tenant", async () => {
    const database = await newDatabase();
    const pool = poolOf(database, 1);
    await guardedStore(database, pool);
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(
      "SELECT set_config('turnproof_scope.state', 'user', true), set_config('turnproof_scope.tenant', 'ann', true)",
    );
    const insert = `INSERT INTO entity_memory (id, user_id, data, created_at, created_key, updated_at)
VALUES ('x', $1, '{}', '', '', '')`;
    await client.query(insert, ["ann"]);
    await expect(client.query(insert, ["bob"])).rejects.toMatchObject({ code: "42501" });
    await client.query("ROLLBACK");
    client.release();
  });

  test("hold when every filter of the application is gone", async () => {
    const database = await newDatabase();
    const pool = poolOf(database);
    await fill((await guardedStore(database, pool)).memory);
    const users: unknown[] = [];
    let removed = 0;
    const client = watchedPool(pool, {
      change(sql) {
        if (hasTenant(sql)) removed += 1;
        return withoutTenant(sql);
      },
      // What left the database, before any check of ours.
      see: (_sql, _values, rows) => {
        for (const row of rows as { user_id?: string | null }[]) {
          if (row.user_id !== undefined) users.push(row.user_id);
        }
      },
    });
    const { memory } = await guardedStore(database, client);
    for (const tenant of ["ann", "bob", null, "nobody"]) {
      users.length = 0;
      const filter = { tenant };
      const own = tenant === "nobody" ? 0 : 2;
      const near = await memory.vectorSearch(filter, "entity", { embedding: [1, 2], limit: 9 });
      const words = await memory.textSearch(filter, "entity", { text: "tea", limit: 9 });
      expect((await memory.list(filter, "entity", { limit: 9 })).records).toHaveLength(own);
      expect([near.hits.length, words.hits.length]).toEqual([own, own]);
      expect(await memory.count(filter, "entity")).toBe(own);
      expect(await memory.get(filter, "entity", "one")).toEqual(
        own === 0 ? undefined : expect.objectContaining({ user_id: tenant }),
      );
      expect(new Set(users)).toEqual(new Set(own === 0 ? [] : [tenant]));
    }
    expect(await memory.delete({ tenant: "ann" }, "entity", "one")).toBe(true);
    expect(removed).toBeGreaterThan(20);
    expect(await memory.admin.count({ tenant: "bob" }, "entity")).toBe(2);
    expect(await memory.admin.count({ tenant: null }, "entity")).toBe(2);
  });
});

test("a role that policies do not bind, and tables without them, are refused", async () => {
  const database = await newDatabase();
  const url = server.url(database);
  const refused = { code: "config_invalid" };
  await expect(postgres({ url, rowSecurity: true })).rejects.toMatchObject(refused);
  await server.run(database, "ALTER TABLE entity_memory NO FORCE ROW LEVEL SECURITY");
  const keeper = { url: server.url(database, "keeper"), rowSecurity: true };
  await expect(postgres(keeper)).rejects.toMatchObject(refused);
  await server.run(database, "ALTER TABLE entity_memory FORCE ROW LEVEL SECURITY");
  await using store = await postgres(keeper);
  await expect(store.memory.admin.count({ tenant: null }, "entity")).rejects.toMatchObject({
    code: "not_configured",
  });
});

test("fifty tenants share two connections while statements are cancelled", async () => {
  const database = await newDatabase();
  const pool = poolOf(database, 2);
  const { memory } = await guardedStore(database, pool);
  let going = true;
  const trouble = (async () => {
    for (let i = 0; going; i += 1) {
      const act = i % 7 === 6 ? "pg_terminate_backend" : "pg_cancel_backend";
      await server.run(
        database,
        `SELECT ${act}(pid) FROM pg_stat_activity WHERE usename = 'keeper' AND state = 'active'`,
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  let failed = 0;
  let done = 0;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      const value = await work();
      done += 1;
      return value;
    } catch (error) {
      expect(error).toMatchObject({ retryable: true });
      failed += 1;
      return undefined;
    }
  };
  const tenants = Array.from({ length: 50 }, (_, i) => (i === 0 ? null : `tenant ${i}`));
  await Promise.all(
    tenants.map(async (tenant) => {
      const filter = { tenant };
      // On a quick machine 8 rounds may end before a cancel meets a statement.
      for (let i = 0; i < 8 || (failed === 0 && i < 400); i += 1) {
        await attempt(() => memory.put(filter, "entity", draft(`row ${i % 3}`)));
        const page = await attempt(() => memory.list(filter, "entity", { limit: 99 }));
        for (const record of page?.records ?? []) expect(record.user_id).toBe(tenant);
        expect((await attempt(() => memory.count(filter, "entity"))) ?? 0).toBeLessThanOrEqual(3);
      }
    }),
  );
  going = false;
  await trouble;
  expect(done).toBeGreaterThan(100);
  expect(failed).toBeGreaterThan(0);
  for (const tenant of tenants) {
    await memory.put({ tenant }, "entity", draft("row 0"));
    expect((await memory.get({ tenant }, "entity", "row 0"))?.user_id).toBe(tenant);
  }
  // No connection of the pool remembers a tenant.
  for (let i = 0; i < 4; i += 1) {
    const { rows } = await pool.query(
      `SELECT coalesce(current_setting('turnproof_scope.tenant', true), '') AS tenant,
    (SELECT count(*)::int FROM entity_memory) AS n`,
    );
    expect(rows).toEqual([{ tenant: "", n: 0 }]);
  }
});
