/**
 * @module Migration: creates the tables of the evidence store from `.sql` files, forward only.
 * Each file is applied once and recorded in a table; data of a newer version is refused.
 */
import { readdir, readFile } from "node:fs/promises";

import { CodedError } from "@turnproof/semconv";

import { adoptTables, forCluster, hasTables, makeDatabase, readLayout } from "./cluster-tables.ts";
import type { ClusterLayout } from "./cluster-tables.ts";
import type { Engine, Tables } from "./engine.ts";
import { renameOldTables } from "./old-tables.ts";
import { makeViews } from "./views.ts";

/** The directory of the files, for sources and build alike. */
const directory = new URL("../../sql/clickhouse/", import.meta.url);

/** A migration file: its number, its name and its statements. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

/** All migrations of this build, in order, in the form for a cluster when one is named. */
export async function readMigrations(layout?: ClusterLayout): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{3}_\w+\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(new URL(name, directory), "utf8");
      const statements = statementsOf(text);
      return {
        version: Number(name.slice(0, 3)),
        name: name.slice(4, -4),
        statements:
          layout === undefined ? statements : statements.flatMap((sql) => forCluster(sql, layout)),
      };
    }),
  );
}

/** Migrates the tables and the views over them to this build's version. */
export async function makeTables(tables: Tables): Promise<void> {
  const { engine, cluster } = tables;
  if (cluster === undefined) {
    await migrate(engine);
    await renameOldTables(tables);
    return makeViews(tables);
  }
  const layout = await readLayout(engine, cluster);
  await adoptTables(engine, layout);
  const made = await hasTables(engine, layout);
  if (!made) await makeDatabase(engine, layout);
  await migrate(engine, { layout, made });
  await renameOldTables(tables);
  await makeViews(tables, !made);
}

/** A cluster, and whether all of its servers have the tables already. */
interface OnCluster {
  readonly layout: ClusterLayout;
  readonly made: boolean;
}

/** Migrates the tables to this build's version. Throws `store_version_newer` for newer data. */
export async function migrate(engine: Engine, cluster?: OnCluster): Promise<void> {
  const made = cluster?.made === true;
  const history = cluster === undefined ? [historyTable] : forCluster(historyTable, cluster.layout);
  if (!made) for (const statement of history) await engine.command(statement);
  const migrations = await readMigrations(cluster?.layout);
  const done = await appliedOf(engine, migrations);
  if (cluster === undefined && done.size === 0 && !(await hasAny(engine))) {
    return makeAll(engine, migrations);
  }
  for (const { version, name, statements } of migrations) {
    // A server that was added later has none of the tables, whatever was applied before.
    const again = cluster !== undefined && !made;
    if (done.has(version) && !again) continue;
    for (const statement of statements) await engine.command(statement);
    if (done.has(version)) continue;
    await engine.command(`INSERT INTO migrations (version, name) VALUES (${version}, '${name}')`);
  }
}

/**
 * Makes the tables of an empty database as all migrations leave them. These alter one table a dozen
 * times, which takes the engine a second. Where this is cut short the migrations do the rest.
 */
async function makeAll(engine: Engine, migrations: readonly Migration[]): Promise<void> {
  const text = await readFile(new URL("tables.sql", directory), "utf8");
  for (const statement of statementsOf(text)) await engine.command(statement);
  const applied = migrations.map(({ version, name }) => `(${version}, '${name}')`);
  await engine.command(`INSERT INTO migrations (version, name) VALUES ${applied.join(", ")}`);
}

/** True where the database has tables, of a migration or of others. */
async function hasAny(engine: Engine): Promise<boolean> {
  const held = await engine.query(
    `SELECT 1 AS one FROM system.tables
WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != 'migrations' LIMIT 1`,
  );
  return held.rows > 0;
}

/** Versions of the data. @throws CodedError `store_version_newer` for one that this build lacks */
async function appliedOf(
  engine: Engine,
  migrations: readonly Migration[],
): Promise<ReadonlySet<unknown>> {
  const applied = await engine.query("SELECT DISTINCT version FROM migrations");
  const done = new Set(applied.columns.get("version"));
  const newest = migrations.at(-1)?.version ?? 0;
  for (const version of done) {
    if (Number(version) > newest) throw new CodedError("store_version_newer");
  }
  return done;
}

/** Checks that this build can read the data; changes nothing. */
export async function requireKnown(engine: Engine): Promise<void> {
  const held = await engine.query(
    "SELECT 1 AS one FROM system.tables WHERE database = currentDatabase() AND name = 'migrations'",
  );
  if (held.rows > 0) await appliedOf(engine, await readMigrations());
}

const historyTable = `CREATE TABLE IF NOT EXISTS migrations
(
    version UInt32,
    name String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = MergeTree
ORDER BY version`;

/** A file's statements: separated by a semicolon at the end of a line, comments left out. */
export function statementsOf(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => !line.startsWith("--"))
    .join("\n")
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
