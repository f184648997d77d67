/**
 * @module Connection: two connections to the engine behind one narrow interface. Embedded is chDB
 * in a data directory, injected into the official client; a server is the same client over HTTP.
 * Both return Native, accept Native blocks, and throw our codes.
 */
import { access, constants, readFile, realpath, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ClickHouseClient, ClickHouseClientConfigOptions } from "@clickhouse/client";
import { serialQueue } from "@turnproof/journal";
import { isRunning, makeDirectory } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import { loadDriver } from "../driver.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { clearDropped } from "./dropped-tables.ts";
import { engineArguments } from "./engine-arguments.ts";
import { forgetKnownRoots, knownRootsOf } from "./known-roots.ts";
import {
  coded,
  insertSettings,
  loadClient,
  readAnswer,
  readSettings,
  run,
  select,
} from "./engine-client.ts";
import { openServer } from "./server-engine.ts";
import { storeError } from "./store-error.ts";
import type { Engine } from "./engine.ts";

/** Opens the engine of the connection. */
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
  makeDirectory(path);
  if (!(await isHeld(path))) await clearDropped(path);
  // One connection runs one query at a time, so reads have their own and do not wait for inserts.
  const bounded = await boundedEngine(path);
  const writing = await embeddedClient(path);
  const reading = await embeddedClient(path);
  openHere.set(path, (openHere.get(path) ?? 0) + 1);
  // The directory is locked for this process from here on. Leftover blocks were never
  // acknowledged, so their sender sends them again.
  await rm(blocks, { recursive: true, force: true });
  makeDirectory(blocks);
  // A connection runs one query at a time, and each query that waits inside the engine occupies one
  // of the few threads of Node's pool: with four of them the journal's fdatasync waits for a query
  // to end (783 ms beside four queries of 0.8 s; with one on each connection 0.3 ms).
  const writes = serialQueue();
  const reads = serialQueue();
  let serial = 0;
  const selected: Engine["select"] = (sql, parameters, signal) =>
    coded(() =>
      reads(() => {
        signal?.throwIfAborted();
        return select(reading, sql, parameters, signal);
      }),
    );
  // One directory may have several names.
  const real = await realpath(path);
  const known = knownRootsOf(real);
  const query: Engine["query"] = async (...requested) => readAnswer(await selected(...requested));
  return {
    embedded: true,
    select: selected,
    query,
    command: (sql) => known.changing([sql], () => coded(() => writes(() => run(writing, sql)))),
    together: (statements) =>
      known.changing(statements, () =>
        coded(() =>
          writes(async () => {
            for (const sql of statements) await run(writing, sql);
          }),
        ),
      ),
    knownRoots: (roots) =>
      known.countsOf(roots, async (sql) => (await query(sql)).columns.get("value") ?? []),
    async insert(table, block, token) {
      const { columns } = block;
      const names = columns.map(({ name }) => name).join(", ");
      const structure = columns.map(({ name, type }) => `${name} ${type}`).join(", ");
      serial += 1;
      const file = join(blocks, `${serial}.native`);
      // This connection would read a binary body inside a statement as text, so the block goes
      // through a file.
      await writeFile(file, block.bytes);
      const source = `file(${quote(file)}, 'Native', ${quote(structure)})`;
      const settings = `${insertSettings}, insert_deduplication_token = '${token}', max_insert_threads = 1`;
      const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${source} SETTINGS ${settings}`;
      const insert = (): Promise<void> => coded(() => writes(() => run(writing, sql)));
      try {
        await (table === "bundles" ? known.inserting(block, token, insert) : insert());
      } finally {
        await rm(file, { force: true });
      }
    },
    async close() {
      await reading.close();
      await writing.close();
      await ended();
      bounded.close();
      const left = (openHere.get(path) ?? 1) - 1;
      openHere.set(path, left);
      if (left === 0) forgetKnownRoots(real);
    },
  };
}

/**
 * Opens the engine with its bounds: the first connection to a directory sets them for the process.
 */
async function boundedEngine(path: string): Promise<{ close(): void }> {
  const { Session } = await loadDriver("chdb", () => import("chdb"));
  return opened(path, () => new Session(path, { connectionArgs: [...engineArguments] }));
}

/** How many times this process has each directory's engine open. */
const openHere = new Map<string, number>();

/** True while a process has the directory's engine open; opening it fails or shares it then. */
async function isHeld(path: string): Promise<boolean> {
  const holder = await holderOf(path);
  // In a container the new process may have the pid of the previous one.
  return holder === process.pid ? (openHere.get(path) ?? 0) > 0 : holder > 0 && isRunning(holder);
}

/**
 * The last process that opened the engine, from the status file that its lock is on; 0 unknown.
 */
async function holderOf(path: string): Promise<number> {
  // Without the file no engine has opened the directory.
  const status = await readFile(join(path, "status"), "utf8").catch(() => "");
  return Number(/PID: (\d+)/.exec(status)?.[1] ?? 0);
}

/**
 * Waits for statements that still run although their callers gave up. The engine cannot interrupt
 * them, and a process that exits during one ends by SIGSEGV.
 */
async function ended(): Promise<void> {
  const { drainPending } = await loadDriver("chdb", () => import("chdb"));
  await drainPending();
}

async function embeddedClient(path: string): Promise<ClickHouseClient> {
  const { createClient } = await loadClient();
  const { createChdbConnection } = await loadDriver("chdb", () => import("chdb/connection"));
  const connection = await opened(path, () => createChdbConnection({ path }));
  return coded(async () => {
    // Two copies of one private type with equal shapes (the client's own documentation).
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
 * A connection to the directory. The engine reports the lock on its standard error only and throws
 * without a code, so the holder is read from the status file that the lock is on.
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
 * Why an engine cannot open its own files, when it gives no reason: no space, no permission to
 * write, or damage.
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
