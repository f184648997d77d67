/**
 * @module `001_add_user_id.sql` over whatever may lie there, on a server and embedded: it succeeds,
 * twice, only adds, and tenants are apart over the result.
 */
import { readFile } from "node:fs/promises";

import type { PGlite } from "@electric-sql/pglite";
import { postgres } from "@turnproof/store";
import type { PostgresProvider } from "@turnproof/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startPglite } from "../../servers/pglite.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { hostileTables } from "./hostile-tables.ts";
import type { HostileTable } from "./hostile-tables.ts";

const script = await readFile(
  new URL("../../../packages/store/sql/postgres/001_add_user_id.sql", import.meta.url),
  "utf8",
);

/** A database without anything in it. */
interface Empty {
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
  open(): Promise<PostgresProvider>;
}

const relations = `SELECT relname, relkind::text, c.oid::text, (SELECT count(*) FROM pg_index
    WHERE indrelid = c.oid AND indisprimary)::int AS keys
FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
ORDER BY relname`;
const columns = `SELECT attrelid::text, attname, atttypid::text, attnotnull FROM pg_attribute
JOIN pg_class c ON c.oid = attrelid WHERE relnamespace = 'public'::regnamespace
    AND relkind IN ('r', 'p', 'v', 'm') AND attnum > 0 AND NOT attisdropped ORDER BY attrelid, attnum`;

async function migrateTwice(database: Empty, shape: HostileTable): Promise<void> {
  const run: Empty["run"] = (sql) => database.run(sql);
  await run(shape.sql);
  const held = async (): Promise<unknown> => {
    const [kind] = await run("SELECT to_regclass('conversation_memory')::text AS name");
    if (kind?.["name"] === null) return [];
    return run(
      `SELECT (to_jsonb(t) - 'user_id')::text AS row FROM conversation_memory t ORDER BY 1`,
    );
  };
  const before = {
    relations: await run(relations),
    columns: await run(columns),
    rows: await held(),
  };
  await run(script);
  await run(script);
  expect(await run(relations)).toEqual(before.relations);
  expect(await held()).toEqual(before.rows);
  const after = await run(columns);
  expect(after).toEqual(expect.arrayContaining([...before.columns]));
  const fresh = after.filter((one) => !before.columns.some((old) => isSame(one, old)));
  for (const column of fresh)
    expect(column).toMatchObject({ attname: "user_id", attnotnull: false });
  const [known] = await run(
    `SELECT count(*)::int AS n FROM pg_attribute
WHERE attrelid = to_regclass('conversation_memory') AND attname = 'user_id'`,
  );
  expect(known).toEqual({ n: shape.takesColumn === false ? 0 : 1 });
}

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Two tenants write under ids that legacy rows have; neither reads the other's. */
async function keepApart(provider: PostgresProvider, legacyIds: boolean): Promise<void> {
  const { memory } = provider;
  const draft = { data: { n: 2 }, created_at: "2026-01-01T00:00:00Z" };
  const legacy = await memory.count({ tenant: null }, "conversation");
  const ids = legacyIds ? ["ann-1", "ben-1"] : ["old", "old"];
  for (const [at, tenant] of ["ann", "ben"].entries()) {
    const id = ids[at] as string;
    expect(await memory.count({ tenant }, "conversation")).toBe(0);
    const [first, second] = await Promise.all([
      memory.put({ tenant }, "conversation", { ...draft, id }),
      memory.put({ tenant }, "conversation", { ...draft, id }),
    ]);
    expect(new Set([first.version, second.version])).toEqual(new Set([1, 2]));
    const changed = { data: { n: 3 } };
    expect((await memory.update({ tenant }, "conversation", id, 2, changed)).version).toBe(3);
    expect(await memory.count({ tenant }, "conversation")).toBe(1);
  }
  expect(await memory.count({ tenant: null }, "conversation")).toBe(legacy);
  // A legacy row is replaced where it stands; where its id stands twice, the newest is.
  if (legacy > 0 && (await memory.get({ tenant: null }, "conversation", "old")) !== undefined) {
    const put = await memory.put({ tenant: null }, "conversation", { ...draft, id: "old" });
    expect(put.version).toBe(2);
    expect((await memory.get({ tenant: null }, "conversation", "old"))?.data).toEqual({ n: 2 });
    expect(await memory.count({ tenant: null }, "conversation")).toBe(legacy);
  }
}

async function certify(database: Empty, shape: HostileTable): Promise<void> {
  await migrateTwice(database, shape);
  if (shape.works !== true) {
    await expect(database.open()).rejects.toMatchObject({
      code: "config_invalid",
      field: shape.works,
    });
    return;
  }
  await using provider = await database.open();
  // A key that is not ours to take away holds one row for an id, of whichever tenant.
  await keepApart(provider, shape.sql.includes("PRIMARY KEY (id)"));
}

describe("on a server", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test.each(hostileTables)("$name", async (shape) => {
    const database = await server.createDatabase();
    const run: Empty["run"] = (sql) => server.run(database, sql);
    await certify({ run, open: () => postgres({ url: server.url(database) }) }, shape);
  });

  test("writers at one moment, where a primary key on id stands beside ours", async () => {
    const database = await server.createDatabase();
    const bare = hostileTables.find(({ name }) => name === "no primary key");
    // Indexes are filled in the order of their making: the slow one holds every writer between its
    // look at our key and its entry in the primary key.
    await server.run(
      database,
      `${bare?.sql ?? ""}
CREATE FUNCTION slowly(text) RETURNS text IMMUTABLE LANGUAGE plpgsql
AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN $1; END $$;
CREATE INDEX ON conversation_memory (slowly(id));
ALTER TABLE conversation_memory ADD PRIMARY KEY (id)`,
    );
    await using provider = await postgres({ url: server.url(database) });
    const draft = { id: "one", data: { n: 2 }, created_at: "2026-01-01T00:00:00Z" };
    const put = (tenant: string): Promise<{ readonly version: number }> =>
      provider.memory.put({ tenant }, "conversation", draft);
    const written = await Promise.all([put("ann"), put("ann"), put("ann")]);
    expect(written.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([1, 2, 3]);
    await expect(put("ben")).rejects.toMatchObject({ code: "store_rejected_row" });
  });
});

describe("embedded", () => {
  let engine: PGlite;
  beforeAll(async () => {
    engine = await startPglite();
  });
  afterAll(() => engine.close());

  test.each(hostileTables)("$name", async (shape) => {
    await engine.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const run: Empty["run"] = async (sql) => (await engine.exec(sql)).at(-1)?.rows ?? [];
    await certify({ run, open: () => postgres({ client: engine }) }, shape);
  });
});
