/**
 * @module PostgresMigration: creates the tables from `.sql` files, forward only, all missing ones
 * in one transaction. Data of a newer version is refused.
 */
import { readdir, readFile } from "node:fs/promises";

import { CodedError, memoryCollections, scopedKinds } from "@turnproof/semconv";

import type { Database, Session } from "./database.ts";

/** The directory of the files, for sources and build alike. */
const directory = new URL("../../sql/postgres/", import.meta.url);

/** A migration file: its number, its name and its text. */
interface PostgresMigration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** All migrations of this build, in order. */
async function readMigrations(): Promise<PostgresMigration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{3}_\w+\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name) => ({
      version: Number(name.slice(0, 3)),
      name: name.slice(4, -4),
      sql: await readFile(new URL(name, directory), "utf8"),
    })),
  );
}

/** The text of an optional script beside the migrations. */
export async function readScript(name: "row_security" | "vector"): Promise<string> {
  return readFile(new URL(`${name}.sql`, directory), "utf8");
}

/**
 * Migrates the schema to this build's version.
 * @throws CodedError `store_version_newer`, or `not_configured` when it may not change the schema
 */
export async function migrate(database: Database, mayChange: boolean): Promise<void> {
  const migrations = await readMigrations();
  if (missing(migrations, await applied(database)).length === 0) return;
  if (!mayChange) throw new CodedError("not_configured", { field: "migrations" });
  await database.transaction(async (session) => {
    // Several processes may open at once: one migrates, the others wait for it.
    await session.query("SELECT pg_advisory_xact_lock(7203771)");
    await requireColumns(session);
    await session.script(history);
    for (const { version, name, sql } of missing(migrations, await applied(session))) {
      await session.script(sql);
      await session.query(
        "INSERT INTO turnproof_migrations (version, name) VALUES ($1::text::int, $2::text)",
        [String(version), name],
      );
    }
  });
}

/** Columns that every statement over scoped memory needs, and the allowed kinds of their types. */
const neededColumns: Readonly<Record<string, string>> = {
  row_no: "N",
  id: "S",
  agent_id: "S",
  memory_id: "S",
  thread_id: "S",
  body: "S",
  embedding: "A",
  data: "U",
  created_at: "S",
  created_key: "S",
  expires_at: "S",
  expires_ms: "N",
  updated_at: "S",
  version: "N",
};

/**
 * A foreign table under one of our names is reported, with its column, before anything is changed.
 */
async function requireColumns(session: Session): Promise<void> {
  const tables = scopedKinds.map((kind) => `('${memoryCollections[kind]}')`).join(", ");
  const { rows } = await session.query(
    // Texts that are truncated, padded or compared without case could equal another tenant's, or
    // none.
    `SELECT name, coalesce(json_object_agg(attname, CASE WHEN typname IN ('bpchar', 'name', 'citext')
        THEN typname ELSE typcategory::text END) FILTER (WHERE attnum > 0
        AND NOT attisdropped), '{}')::text AS columns
FROM (VALUES ${tables}) AS t (name)
LEFT JOIN pg_attribute ON attrelid = to_regclass(name)
LEFT JOIN pg_type ON pg_type.oid = atttypid
WHERE to_regclass(name) IS NOT NULL GROUP BY name ORDER BY name`,
  );
  for (const row of rows) {
    const held = JSON.parse(row["columns"] as string) as Readonly<Record<string, string>>;
    // A tenant that is no text would match no tenant.
    const needed =
      held["user_id"] === undefined ? neededColumns : { ...neededColumns, user_id: "S" };
    const wrong = Object.entries(needed).find(([column, type]) => held[column] !== type);
    if (wrong === undefined) continue;
    throw new CodedError("config_invalid", { field: `${String(row["name"])}.${wrong[0]}` });
  }
}

function missing(
  migrations: readonly PostgresMigration[],
  done: ReadonlySet<number>,
): PostgresMigration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const version of done) if (version > newest) throw new CodedError("store_version_newer");
  return migrations.filter(({ version }) => !done.has(version));
}

async function applied(session: Session): Promise<Set<number>> {
  const table = await session.query("SELECT to_regclass('turnproof_migrations')::text AS name");
  if (table.rows[0]?.["name"] === null) return new Set();
  const { rows } = await session.query("SELECT version FROM turnproof_migrations");
  return new Set(rows.map((row) => Number(row["version"])));
}

const history = `CREATE TABLE IF NOT EXISTS turnproof_migrations
(
    version int PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)`;
