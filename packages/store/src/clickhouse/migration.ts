/**
 * @module Migration: the tables of the evidence store from `.sql` files, forward only. Each file is
 * applied once and named in a table; data of a newer version is refused, never guessed at.
 */
import { readdir, readFile } from "node:fs/promises";

import { CodedError } from "@turnproof/semconv";

import { clusterName } from "./clickhouse-options.ts";
import type { Engine, Tables } from "./connection.ts";
import { makeEventsView } from "./events-view.ts";
import { renameOldEvents } from "./old-tables.ts";

/** Where the files lie, seen from the sources and from the build alike. */
const directory = new URL("../../sql/clickhouse/", import.meta.url);

/** A migration file: its number, its name and its statements. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

/** All migrations of this build, in order, in the form that a cluster needs when one is named. */
export async function readMigrations(cluster?: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{3}_\w+\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(new URL(name, directory), "utf8");
      const statements = statementsOf(text);
      return {
        version: Number(name.slice(0, 3)),
        name: name.slice(4, -4),
        statements:
          cluster === undefined ? statements : statements.map((sql) => forCluster(sql, cluster)),
      };
    }),
  );
}

/** Brings the tables and the view over them to this build's version. */
export async function makeTables(tables: Tables): Promise<void> {
  await migrate(tables.engine, tables.cluster);
  await renameOldEvents(tables);
  await makeEventsView(tables);
}

/** Brings the tables to this build's version. Throws `store_version_newer` for newer data. */
export async function migrate(engine: Engine, cluster?: string): Promise<void> {
  const history = cluster === undefined ? historyTable : forCluster(historyTable, cluster);
  await engine.command(history);
  const applied = await engine.query("SELECT DISTINCT version FROM migrations");
  const done = new Set(applied.columns.get("version"));
  const migrations = await readMigrations(cluster);
  const newest = migrations.at(-1)?.version ?? 0;
  for (const version of done) {
    if (Number(version) > newest) throw new CodedError("store_version_newer");
  }
  for (const { version, name, statements } of migrations) {
    if (done.has(version)) continue;
    for (const statement of statements) await engine.command(statement);
    await engine.command(`INSERT INTO migrations (version, name) VALUES (${version}, '${name}')`);
  }
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

/** A statement for a cluster: made on every node, replicated instead of plain. */
export function forCluster(statement: string, cluster: string): string {
  const name = clusterName(cluster);
  return statement
    .replace(/^(CREATE TABLE IF NOT EXISTS \w+|ALTER TABLE \w+)/, `$1 ON CLUSTER '${name}'`)
    .replace(
      /ENGINE = (Replacing)?MergeTree(?:\(([\w, ]+)\))?/,
      (_all, replacing: string | undefined, version: string | undefined) => {
        const path = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'";
        const extra = version === undefined ? "" : `, ${version}`;
        return `ENGINE = Replicated${replacing ?? ""}MergeTree(${path}${extra})`;
      },
    )
    .replace(/non_replicated_deduplication_window/, "replicated_deduplication_window");
}
