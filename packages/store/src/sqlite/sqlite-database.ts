/**
 * @module SqliteDatabase: the engine that Node brings from 22.13 on, by the shape that is used of
 * it. The packages run on Node 20 as well, whose types and modules lack it, so it is asked for by
 * name when a store opens its file, and never imported.
 */
import { CodedError } from "@turnproof/semconv";

/** A value that is bound to a statement. */
export type SqlValue = string | number | null;

/** One row of an answer. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A prepared statement. */
export interface SqliteStatement {
  all(...values: SqlValue[]): readonly SqlRow[];
  get(...values: SqlValue[]): SqlRow | undefined;
  run(...values: SqlValue[]): { readonly changes: number | bigint };
}

/** An open database, as `DatabaseSync` of `node:sqlite` is one. */
export interface SqliteDatabase {
  readonly isOpen: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** True where this Node brings the engine. */
export function hasSqlite(): boolean {
  return engine() !== undefined;
}

/**
 * Opens a database file, which is made where it is missing, or `:memory:`. Commits are durable.
 * @throws CodedError driver_missing on a Node without the engine
 */
export function openSqlite(path: string): SqliteDatabase {
  const sqlite = engine();
  if (sqlite === undefined) {
    throw new CodedError("driver_missing", { field: "Node.js 22.13 or later" });
  }
  const database = new sqlite.DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA busy_timeout = 10000");
  return database;
}

interface Engine {
  readonly DatabaseSync: new (path: string) => SqliteDatabase;
}

function engine(): Engine | undefined {
  return process.getBuiltinModule("node:sqlite" as string) as Engine | undefined;
}
