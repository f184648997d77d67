/**
 * @module SqliteDatabase: the engine that Node brings from 22.13 on, by the shape that is used of
 * it. The packages run on Node 20 as well, whose types and modules lack it, so it is asked for by
 * name when a store opens its file, and never imported.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

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
  /** Rows as lists instead of objects, where this Node has that. */
  setReturnArrays?(enabled: boolean): void;
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

/** @throws CodedError driver_missing on a Node without the engine */
export function requireSqlite(): void {
  engineOrThrow();
}

/** How long a read waits for another process, in milliseconds; it blocks the thread. */
const readWaitMs = 5_000;
const walBytesMax = 64 * 1_024 * 1_024;
const cacheKilobytes = 64 * 1_024;

/**
 * Opens a database file, which is made where it is missing, or `:memory:`. Commits are durable.
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
 * Opens a file that is there for reading alone. `immutable` reads one on a disk that no process can
 * write, where the engine could not keep its shared memory beside it.
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

/** How long a writer waits for one of another process, in milliseconds. */
const patienceMs = 30_000;

/** Transactions of a connection, one after the other. */
const queues = new WeakMap<SqliteDatabase, Promise<unknown>>();

/**
 * Runs work in one transaction: all of it is durable when this resolves, or nothing happened. Work
 * that waits in between belongs on a connection without readers.
 * @throws CodedError store_busy when others do not let go in time, and what the engine throws
 */
export function transaction<T>(database: SqliteDatabase, work: () => T | Promise<T>): Promise<T> {
  return alone(database, () => run(database, work));
}

/** Runs work when no transaction of this connection is under way. */
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
    // The engine has ended it itself where the disk is full or damaged.
    if (database.isOpen) attempt(() => database.exec("ROLLBACK"));
    throw error;
  }
}

/** Begins to write, unless another process writes: waiting here would block the thread. */
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

/** The primary result code of an error of the engine. */
export function primaryCode(error: unknown): number | undefined {
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && typeof errcode === "number" ? errcode & 0xff : undefined;
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // What made this necessary is thrown.
  }
}

interface Engine {
  readonly DatabaseSync: new (
    path: string,
    options?: { readonly readOnly?: boolean },
  ) => SqliteDatabase;
}

function engineOrThrow(): Engine {
  const sqlite = engine();
  if (sqlite !== undefined) return sqlite;
  throw new CodedError("driver_missing", { field: "Node.js 22.13 or later" });
}

function engine(): Engine | undefined {
  return process.getBuiltinModule("node:sqlite" as string) as Engine | undefined;
}
