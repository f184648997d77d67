/**
 * @module The tables of an empty ClickHouse database are made at once, and are those that the
 * migrations leave one after another: every column, codec, index and setting. After a change of
 * the migrations, Vitest with `-u` on this file writes the file of the tables (CONTRIBUTING.md).
 */
import { readFile } from "node:fs/promises";

import { afterAll, expect, test } from "vitest";

import { openEngine } from "../../../packages/store/src/clickhouse/connection.ts";
import type { Engine } from "../../../packages/store/src/clickhouse/engine.ts";
import {
  migrate,
  readMigrations,
  statementsOf,
} from "../../../packages/store/src/clickhouse/migration.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const file = new URL("../../../packages/store/sql/clickhouse/tables.sql", import.meta.url);
const migrations = await readMigrations();
const heading = `-- All tables as the migrations leave them, with which an empty database begins.
-- Written by the test of fresh tables (CONTRIBUTING.md); do not edit.
`;

/** The statements of the tables that the migrations leave, with the engine as `begin` gives it. */
async function tablesAfter(begin: (engine: Engine) => Promise<Engine>): Promise<string> {
  const engine = await openEngine({ dataDir: await directories.make() });
  try {
    await migrate(await begin(engine));
    const applied = await engine.query("SELECT DISTINCT version FROM migrations ORDER BY version");
    expect(applied.columns.get("version")).toEqual(migrations.map(({ version }) => version));
    const made = await engine.query(
      `SELECT formatQuery(create_table_query) AS text FROM system.tables
WHERE database = currentDatabase() AND name != 'migrations' ORDER BY name`,
    );
    const texts = (made.columns.get("text") ?? []).map((text) =>
      String(text).replace(/^CREATE TABLE default\./, "CREATE TABLE IF NOT EXISTS "),
    );
    return `${heading}${texts.join(";\n\n")};\n`;
  } finally {
    await engine.close();
  }
}

/** The first table of the last migration that makes one: with it no migration is left out. */
async function oneTable(engine: Engine): Promise<Engine> {
  const statements = migrations.flatMap((migration) => migration.statements);
  const create = statements.findLast((sql) => sql.startsWith("CREATE TABLE"));
  await engine.command(create ?? "");
  return engine;
}

async function allTables(engine: Engine): Promise<Engine> {
  for (const sql of statementsOf(await readFile(file, "utf8"))) await engine.command(sql);
  return engine;
}

test("migrations one after another leave the tables of the file", async () => {
  await expect(await tablesAfter(oneTable)).toMatchFileSnapshot(file.pathname);
});

test("an empty database begins with these tables", async () => {
  const statements: string[] = [];
  const text = await tablesAfter(async (engine) => ({
    ...engine,
    command(sql) {
      statements.push(sql);
      return engine.command(sql);
    },
  }));
  expect(text).toBe(await readFile(file, "utf8"));
  expect(statements.filter((sql) => sql.startsWith("ALTER"))).toEqual([]);
});

test("where a process ended before it noted them, the migrations change nothing", async () => {
  expect(await tablesAfter(allTables)).toBe(await readFile(file, "utf8"));
});
