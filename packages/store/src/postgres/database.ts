/**
 * @module Database: one interface for a pool of `pg` and for PGlite: statements, transactions,
 * closing. A pooled session never keeps a setting: transactions use SET LOCAL only, and after an
 * error the connection discards its state or is destroyed (faults T4).
 */
import { readFile, rm } from "node:fs/promises";
import { resolve } from "node:path";

import {
  lockDirectory,
  makeDirectory,
  parseOwner,
  systemProcesses,
} from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import { loadDriver } from "../driver.ts";
import type {
  EmbeddedPostgres,
  PostgresPlace,
  PostgresPool,
  PostgresSession,
} from "./postgres-options.ts";
import type { Parameter } from "./sql-text.ts";
import { storeError } from "./store-error.ts";

/** One row of an answer, as the drivers return it. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/** Rows, and the number of rows that a statement changed. */
export interface SqlAnswer {
  readonly rows: readonly PostgresRow[];
  readonly changed: number;
}

/** Runs statements; rejects with a CodedError. */
export interface Session {
  query(sql: string, parameters?: readonly Parameter[]): Promise<SqlAnswer>;
  /** Several statements without values. */
  script(sql: string): Promise<void>;
}

/** A database. */
export interface Database extends Session {
  readonly embedded: boolean;
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the database; drivers are loaded on first use. */
export async function openDatabase(place: PostgresPlace): Promise<Database> {
  try {
    if ("client" in place) {
      const { client } = place;
      return "transaction" in client
        ? embeddedDatabase(client, async () => {})
        : pooledDatabase(client, async () => {});
    }
    return "path" in place ? await openEmbedded(place.path) : await openPool(place);
  } catch (error) {
    throw storeError(error);
  }
}

async function openPool(place: Extract<PostgresPlace, { url: string }>): Promise<Database> {
  const { default: pg } = await loadDriver("pg", () => import("pg"));
  const statementTimeout = place.statementTimeoutMs ?? 30_000;
  const pool = new pg.Pool({
    connectionString: place.url,
    max: place.poolSize ?? 10,
    connectionTimeoutMillis: place.connectTimeoutMs ?? 10_000,
    statement_timeout: statementTimeout,
    // A server that vanished silently must not block a request forever.
    query_timeout: statementTimeout + 5_000,
    allowExitOnIdle: true,
  });
  // A broken idle connection is replaced; the next statement reports the problem.
  pool.on("error", ignoreError);
  return pooledDatabase(pool, () => pool.end());
}

/**
 * The directory of an embedded engine for this process: the engine does not look by itself, and two
 * over one directory damage it. Resolves to what releases it.
 *
 * @throws CodedError store_locked when another process, or this one, uses it
 */
export async function heldDirectory(path: string): Promise<() => Promise<void>> {
  const directory = `${resolve(path)}.owners`;
  makeDirectory(directory);
  const lock = await lockDirectory({ directory });
  if (lock === undefined) throw new CodedError("store_locked");
  if (await heldByEarlier(`${resolve(path)}.lock`)) {
    await lock.release();
    throw new CodedError("store_locked");
  }
  return () => lock.release();
}

/** Whether a running process of an earlier version holds its lock, a file that names the owner. */
async function heldByEarlier(file: string): Promise<boolean> {
  // No such file: no process holds the directory.
  const name = await readFile(file, "utf8").catch(() => "");
  const owner = parseOwner(/^owner-(.+)-[0-9a-f]{16}$/.exec(name)?.[1] ?? "");
  if (owner !== undefined && systemProcesses.liveness(owner) === "alive") return true;
  await rm(file, { force: true });
  return false;
}

async function openEmbedded(path: string): Promise<Database> {
  const { PGlite } = await loadDriver("@electric-sql/pglite", () => import("@electric-sql/pglite"));
  const vector = await import("@electric-sql/pglite-pgvector").then(
    (module) => module.vector,
    () => undefined,
  );
  const extensions = vector === undefined ? {} : { vector };
  const inMemory = path.startsWith("memory://");
  const release = inMemory ? async () => {} : await heldDirectory(path);
  try {
    const engine = await PGlite.create({ dataDir: path, extensions });
    return embeddedDatabase(engine, async () => {
      try {
        await engine.close();
      } finally {
        await release();
      }
    });
  } catch (error) {
    await release();
    throw error;
  }
}

function sessionOf(client: PostgresSession, script: (sql: string) => Promise<unknown>): Session {
  return {
    async query(sql, parameters = []) {
      try {
        const answer = await client.query(sql, [...parameters]);
        return {
          rows: answer.rows as readonly PostgresRow[],
          changed: answer.rowCount ?? answer.affectedRows ?? 0,
        };
      } catch (error) {
        throw storeError(error);
      }
    },
    async script(sql) {
      try {
        await script(sql);
      } catch (error) {
        throw storeError(error);
      }
    },
  };
}

/** The operations in which a pool and an engine differ. */
interface Parts {
  readonly embedded: boolean;
  readonly plain: Session;
  readonly transaction: Database["transaction"];
  readonly end: () => Promise<unknown>;
}

/** The database of these parts; once closed it accepts no statement. */
function databaseOf({ embedded, plain, transaction, end }: Parts): Database {
  let closed = false;
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  return {
    embedded,
    async query(sql, parameters) {
      open();
      return plain.query(sql, parameters);
    },
    async script(sql) {
      open();
      await plain.script(sql);
    },
    async transaction(work) {
      open();
      return transaction(work);
    },
    async close() {
      if (closed) return;
      closed = true;
      await end();
    },
  };
}

function pooledDatabase(pool: PostgresPool, end: () => Promise<unknown>): Database {
  return databaseOf({
    embedded: false,
    plain: sessionOf(pool, (sql) => pool.query(sql)),
    end,
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw storeError(error);
      });
      // An unhandled error event of a checked-out connection would end the process.
      client.on("error", ignoreError);
      const release = (destroy: boolean): void => {
        client.off("error", ignoreError);
        client.release(destroy);
      };
      const session = sessionOf(client, (sql) => client.query(sql));
      try {
        await session.query("BEGIN");
        const done = await work(session);
        await session.query("COMMIT");
        release(false);
        return done;
      } catch (error) {
        await cleanUp(session).then(
          () => release(false),
          () => release(true),
        );
        throw error;
      }
    },
  });
}

/** The next statement reports the problem; nothing to do here. */
function ignoreError(): void {}

async function cleanUp(session: Session): Promise<void> {
  await session.query("ROLLBACK");
  await session.query("DISCARD ALL");
}

function embeddedDatabase(engine: EmbeddedPostgres, end: () => Promise<unknown>): Database {
  return databaseOf({
    embedded: true,
    plain: sessionOf(engine, (sql) => engine.exec(sql)),
    end,
    async transaction(work) {
      try {
        return await engine.transaction((inner) =>
          work(sessionOf(inner, (sql) => inner.exec(sql))),
        );
      } catch (error) {
        throw storeError(error);
      }
    },
  });
}
