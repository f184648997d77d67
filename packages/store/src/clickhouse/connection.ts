/**
 * @module Connection: the two ways to the engine behind one narrow shape. Embedded is chDB under a
 * data directory, injected into the official client; a server is the same client over HTTP. Both
 * answer in Native, take Native blocks, and throw our codes.
 */
import { access, constants, mkdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ClickHouseClient, ClickHouseClientConfigOptions } from "@clickhouse/client";
import { CodedError } from "@turnproof/semconv";

import { loadDriver } from "../driver.ts";
import { isRunning } from "../filesystem/process-owner.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { clearDropped } from "./dropped-tables.ts";
import {
  coded,
  insertSettings,
  loadClient,
  readAnswer,
  readSettings,
  run,
  select,
} from "./engine-client.ts";
import type { NativeTable } from "./native-reader.ts";
import type { EncodedBlock } from "./native-writer.ts";
import { openServer } from "./server-engine.ts";
import { storeError } from "./store-error.ts";

/** Parameters of a query: hex text and numbers only, see sql-text.ts. */
export type QueryParameters = Readonly<Record<string, string>>;

/** A query's answer as the engine sent it. */
export interface Selected {
  readonly bytes: Uint8Array;
  readonly rowsRead: number;
}

/** A query's columns, and the rows that the engine read for them as far as it says. */
export type Answer = NativeTable & { readonly rowsRead: number };

/** The engine as the provider sees it. Every method throws a CodedError and nothing else. */
export interface Engine {
  readonly embedded: boolean;
  /** `query` before its answer is read: Native bytes, to be read in whichever thread. */
  select(sql: string, parameters?: QueryParameters, signal?: AbortSignal): Promise<Selected>;
  query(sql: string, parameters?: QueryParameters, signal?: AbortSignal): Promise<Answer>;
  command(sql: string): Promise<void>;
  /** Runs statements with no other statement or insert between them; an embedded engine alone can. */
  readonly together?: (statements: readonly string[]) => Promise<void>;
  /** Inserts one block; the same token with the same rows leaves one copy. */
  insert(table: string, block: EncodedBlock, token: string): Promise<void>;
  close(): Promise<void>;
}

/** An engine, and the cluster on which its tables are made. */
export interface Tables {
  readonly engine: Engine;
  readonly cluster: string | undefined;
}

/** Opens the engine that the connection names. */
export async function openEngine(
  connection: ClickhouseConnection,
  { mayChange = true }: { readonly mayChange?: boolean } = {},
): Promise<Engine> {
  if ("dataDir" in connection) return openEmbedded(connection.dataDir);
  return openServer(connection, mayChange);
}

async function openEmbedded(dataDir: string): Promise<Engine> {
  const path = join(dataDir, "clickhouse");
  const blocks = join(dataDir, "clickhouse-blocks");
  await mkdir(path, { recursive: true });
  if (!(await isHeld(path))) await clearDropped(path);
  // One connection answers one query at a time, so reads do not wait behind inserts.
  const writing = await embeddedClient(path);
  const reading = await embeddedClient(path);
  openHere.set(path, (openHere.get(path) ?? 0) + 1);
  // Only now is the directory ours. What is left here was never acknowledged: whoever sent it sends
  // it again.
  await rm(blocks, { recursive: true, force: true });
  await mkdir(blocks, { recursive: true });
  const writes = oneByOne();
  const reads = oneByOne();
  let serial = 0;
  const selected: Engine["select"] = (sql, parameters, signal) =>
    coded(() =>
      reads(() => {
        signal?.throwIfAborted();
        return select(reading, sql, parameters, signal);
      }),
    );
  return {
    embedded: true,
    select: selected,
    query: async (...asked) => readAnswer(await selected(...asked)),
    command: (sql) => coded(() => writes(() => run(writing, sql))),
    together: (statements) =>
      coded(() =>
        writes(async () => {
          for (const sql of statements) await run(writing, sql);
        }),
      ),
    async insert(table, block, token) {
      const { columns } = block;
      const names = columns.map(({ name }) => name).join(", ");
      const structure = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
      serial += 1;
      const file = join(blocks, `${serial}.native`);
      // A binary body inside a statement would be read as text on this connection; a file is not.
      await writeFile(file, block.bytes);
      const source = `file(${quote(file)}, 'Native', ${quote(structure)})`;
      const settings = `${insertSettings}, insert_deduplication_token = '${token}', max_insert_threads = 1`;
      const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${source} SETTINGS ${settings}`;
      try {
        await coded(() => writes(() => run(writing, sql)));
      } finally {
        await rm(file, { force: true });
      }
    },
    async close() {
      await reading.close();
      await writing.close();
      await ended();
      openHere.set(path, (openHere.get(path) ?? 1) - 1);
    },
  };
}

/** How often this process has the engine of a directory open. */
const openHere = new Map<string, number>();

/** True while a process has the directory's engine open; opening it then says so or shares it. */
async function isHeld(path: string): Promise<boolean> {
  const holder = await holderOf(path);
  // A container's process has the number of the one before it.
  return holder === process.pid ? (openHere.get(path) ?? 0) > 0 : holder > 0 && isRunning(holder);
}

/** The process that opened the engine last, by the status file that its lock lies on; 0 unknown. */
async function holderOf(path: string): Promise<number> {
  const status = await readFile(join(path, "status"), "utf8").catch(() => "");
  return Number(/PID: (\d+)/.exec(status)?.[1] ?? 0);
}

/**
 * Waits for statements that still run although their callers gave up. The engine cannot interrupt
 * them, and a process that exits under one ends by SIGSEGV.
 */
async function ended(): Promise<void> {
  const { drainPending } = await loadDriver("chdb", () => import("chdb"));
  await drainPending();
}

/**
 * Lets one piece of work begin when the one before it has ended. A connection answers one query
 * at a time, and each that waits inside the engine holds one of the few threads of Node's pool:
 * four of them, and the journal's fdatasync waits for a query to end (783 ms beside four queries
 * of 0.8 s; with one on each connection 0.3 ms).
 */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

async function embeddedClient(path: string): Promise<ClickHouseClient> {
  const { createClient } = await loadClient();
  const { createChdbConnection } = await loadDriver("chdb", () => import("chdb/connection"));
  const connection = await opened(path, () => createChdbConnection({ path }));
  return coded(async () => {
    // Two copies of one private type: the shapes are the same (the client's own documentation).
    type Injected = NonNullable<ClickHouseClientConfigOptions["connection"]>;
    const client = createClient({ connection: connection as unknown as Injected });
    await run(client, "SET async_insert = 0");
    for (const [name, value] of Object.entries(readSettings)) {
      await run(client, `SET ${name} = ${value}`);
    }
    return client;
  });
}

/**
 * A connection over the directory. The engine names the lock on its standard error alone and throws
 * without a code, so the holder is looked up in the status file that the lock lies on.
 */
async function opened<T>(path: string, open: () => T): Promise<T> {
  try {
    return open();
  } catch (error) {
    const holder = await holderOf(path);
    if (holder > 0 && holder !== process.pid && isRunning(holder))
      throw new CodedError("store_locked");
    throw await damageOf(path, storeError(error));
  }
}

/** The official client, which both connections use. */

/**
 * What keeps an engine from opening its own files, when it says nothing more: no room, no right to
 * write them, or that they are damaged.
 */
async function damageOf(path: string, error: CodedError): Promise<CodedError> {
  if (error.code !== "store_unavailable") return error;
  const { bavail } = await statfs(path);
  if (bavail === 0) return new CodedError("disk_full");
  try {
    await access(path, constants.W_OK);
  } catch {
    return new CodedError("store_read_only");
  }
  return new CodedError("store_corrupt", { field: "clickhouse" });
}

/** A text of ours (a path, a column list) as an SQL literal. */
function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
