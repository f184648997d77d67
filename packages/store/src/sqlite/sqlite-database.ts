/**
 * @module SqliteDatabase: Node's SQLite from 22.13 on, by the interface that is used. The packages
 * also run on Node 20, whose types and modules lack it, so it is loaded by name when a store opens
 * its file, and never imported.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { CodedError } from "@turnproof/semconv";

/** A parameter of a statement. */
export type SqlValue = string | number | null;

/** One row of an answer. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A prepared statement. */
export interface SqliteStatement {
  all(...values: SqlValue[]): readonly SqlRow[];
  get(...values: SqlValue[]): SqlRow | undefined;
  run(...values: SqlValue[]): { readonly changes: number | bigint };
  /** Rows as arrays instead of objects, where this Node supports it. */
  setReturnArrays?(enabled: boolean): void;
}

/** An open database, such as `DatabaseSync` of `node:sqlite`. */
export interface SqliteDatabase {
  readonly isOpen: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

/** True where this Node has the engine. */
export function hasSqlite(): boolean {
  return engine() !== undefined;
}

/** @throws CodedError driver_missing on a Node without the engine */
export function requireSqlite(): void {
  engineOrThrow();
}

/** Timeout of a read that waits for another process, in milliseconds; it blocks the thread. */
const readWaitMs = 5_000;
const walBytesMax = 64 * 1_024 * 1_024;
const cacheKilobytes = 16 * 1_024;

/**
 * Opens a database file, creating it where it is missing, or `:memory:`. Commits are durable.
 * @throws CodedError driver_missing on a Node without the engine
 */
export function openSqlite(path: string): SqliteDatabase {
  const database = new (engineOrThrow().DatabaseSync)(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${readWaitMs}`);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec(`PRAGMA journal_size_limit = ${walBytesMax}`);
    database.exec(`PRAGMA cache_size = -${cacheKilobytes}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/**
 * Opens an existing file read-only. `immutable` reads one on a read-only disk, where the engine
 * could not create its shared memory beside it.
 * @throws CodedError driver_missing on a Node without the engine
 */
export function openSqliteReadOnly(path: string, immutable = false): SqliteDatabase {
  const url = pathToFileURL(path);
  if (immutable) url.searchParams.set("immutable", "1");
  const database = new (engineOrThrow().DatabaseSync)(url.href, { readOnly: true });
  try {
    database.exec(`PRAGMA busy_timeout = ${readWaitMs}`);
    database.exec(`PRAGMA cache_size = -${cacheKilobytes}`);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

/** Timeout of a writer that waits for one of another process, in milliseconds. */
const patienceMs = 30_000;

/** Transactions of a connection, one after the other. */
const queues = new WeakMap<SqliteDatabase, Promise<unknown>>();

/**
 * Runs work in one transaction: everything is durable when this resolves, or nothing was changed.
 * Work that awaits in between needs a connection without readers.
 * @throws CodedError store_busy when others do not finish in time, and the engine's errors
 */
export function transaction<T>(database: SqliteDatabase, work: () => T | Promise<T>): Promise<T> {
  return alone(database, () => run(database, work));
}

/** Runs work while no transaction of this connection is open. */
export function alone<T>(database: SqliteDatabase, work: () => Promise<T>): Promise<T> {
  const before = queues.get(database);
  const own = before === undefined ? work() : before.then(work);
  const settled = own.then(
    () => undefined,
    () => undefined,
  );
  queues.set(database, settled);
  return own;
}

async function run<T>(database: SqliteDatabase, work: () => T | Promise<T>): Promise<T> {
  const end = Date.now() + patienceMs;
  for (let round = 0; !begun(database); round += 1) {
    if (Date.now() > end) throw new CodedError("store_busy");
    await sleep(1 + Math.random() * Math.min(40, 2 + round));
  }
  try {
    const given = work();
    const answer = given instanceof Promise ? await given : given;
    database.exec("COMMIT");
    return answer;
  } catch (error) {
    // On a full or damaged disk the engine has ended it itself.
    if (database.isOpen) attempt(() => database.exec("ROLLBACK"));
    throw error;
  }
}

/** Begins a write, unless another process writes: waiting here would block the thread. */
function begun(database: SqliteDatabase): boolean {
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if ((primaryCode(error) ?? 0) !== busy) throw error;
    return false;
  } finally {
    if (database.isOpen) database.exec(`PRAGMA busy_timeout = ${readWaitMs}`);
  }
}

const busy = 5;

/** The primary result code of an engine's error. */
export function primaryCode(error: unknown): number | undefined {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && typeof errcode === "number" ? errcode & 0xff : undefined;
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The original error is thrown.
  }
}

interface SqliteEngine {
  readonly DatabaseSync: new (
    path: string,
    options?: { readonly readOnly?: boolean },
  ) => SqliteDatabase;
}

function engineOrThrow(): SqliteEngine {
  const sqlite = engine();
  if (sqlite !== undefined) return sqlite;
  throw new CodedError("driver_missing", { field: "Node.js 22.13 or later" });
}

function engine(): SqliteEngine | undefined {
  return process.getBuiltinModule("node:sqlite" as string) as SqliteEngine | undefined;
}
