/**
 * @module EmptiedDatabases: databases of one ClickHouse server, each with its tables already, empty
 * again after every test. Making the tables costs more than most clauses of the contract; that they
 * are made in an empty database is shown by the first tests here, and by those of migration.
 */
import { afterEach } from "vitest";

import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";

/** Databases for the tests of a file. */
export interface EmptiedDatabases {
  /** An empty database that no other store of the running test has. */
  next(): string;
  /** Statements that the tests made so far, without those that empty databases. */
  statements(): Promise<readonly string[]>;
}

/** Registers the emptying. @param user of the server, with its password */
export function emptiedDatabases(
  server: () => ClickhouseServer,
  user: Readonly<Record<string, string>> = {},
): EmptiedDatabases {
  const [free, used, made]: [string[], string[], string[]] = [[], [], []];
  let count = 0;

  async function query(database: string, sql: string): Promise<string> {
    const address = `${server().url}/?${new URLSearchParams({ database, default_format: "TSV" })}`;
    const response = await fetch(address, { method: "POST", body: sql, headers: { ...user } });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  async function empty(database: string): Promise<void> {
    const tables = await query(
      database,
      `SELECT name FROM system.tables WHERE database = '${database}' AND name != 'migrations_local'
       AND name != 'migrations' AND engine LIKE '%MergeTree' AND total_rows != 0`,
    );
    for (const table of tables.split("\n").filter((name) => name !== "")) {
      await query(database, `TRUNCATE TABLE \`${table}\``);
    }
    // A test may leave a database without all of its tables: the next one makes them again.
    free.push(database);
  }

  afterEach(async () => {
    made.push(...(await server().statements()));
    for (const database of used.splice(0)) await empty(database);
    await server().statements();
  });

  return {
    next() {
      const database = free.shift() ?? `evidence_${++count}`;
      used.push(database);
      return database;
    },
    async statements() {
      made.push(...(await server().statements()));
      return made;
    },
  };
}
