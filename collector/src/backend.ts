/**
 * @module Backend: opens the evidence store that the configuration names.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { clickhouse, ephemeral, filesystem, loadDriver, mongodb } from "@turnproof/store";
import type { ClickhouseConnection, EvidenceStore } from "@turnproof/store";

import type { Config } from "./config.ts";
import { openPostgres, postgresFolder } from "./postgres-place.ts";

/** Why evidence lies in a SQLite file by default; one sentence each. */
export const engineSentences = {
  absent:
    "Evidence is stored in a SQLite file, because the embedded ClickHouse engine is not installed: " +
    "run `npm install chdb`, or set TURNPROOF_CLICKHOUSE_URL or TURNPROOF_BACKEND.",
  broken:
    "Evidence is stored in a SQLite file, because the embedded ClickHouse engine has no build for " +
    "this platform: set TURNPROOF_CLICKHOUSE_URL to use a server.",
} as const;

/** How a store is opened: who hears a sentence about it, and how the engine is loaded. */
export interface OpenOptions {
  readonly say?: (sentence: string) => void;
  readonly loadEngine?: () => Promise<unknown>;
  /** A file of this directory is opened by a connection that cannot write. */
  readonly readOnly?: boolean;
}

/**
 * Opens the configured store; its own CodedErrors pass through. Where the embedded engine cannot
 * be loaded it says so and opens the filesystem store, unless the data directory holds the engine's
 * data already: then it throws `driver_missing`, so that stored evidence is never left out silently.
 */
export async function openStore(config: Config, options: OpenOptions = {}): Promise<EvidenceStore> {
  switch (config.backend) {
    case "ephemeral":
      return ephemeral();
    case "clickhouse":
      if (config.clickhouseUrl === undefined) {
        const problem = await engineProblem(options.loadEngine);
        if (problem !== undefined) return openFiles(config, problem, options);
      }
      return clickhouse({ connection: connectionOf(config) });
    case "postgres":
      return (await openPostgres(postgresUrlOf(config), "evidence")).evidence;
    case "filesystem": {
      const { readOnly = false } = options;
      return (await filesystem({ directory: evidenceFolder(config), readOnly })).evidence;
    }
    case "mongodb": {
      const url = documentDbUriOf(config);
      // Work on indexes is a mutation too, and read-only mode rejects it (requirements: Authentication 1).
      return (await mongodb({ url, manageIndexes: !config.readOnly })).evidence;
    }
  }
}

/**
 * Host and port of the server that a backend is on, without credentials; undefined for one that
 * lies in this process or its data directory.
 */
export function serverOf(
  config: Config,
  backend: Config["backend"] | Config["memoryBackend"] = config.backend,
): string | undefined {
  switch (backend) {
    case "clickhouse":
      return config.clickhouseUrl === undefined ? undefined : hostsOf(config.clickhouseUrl);
    case "postgres":
      return postgresFolder(postgresUrlOf(config)) === undefined
        ? hostsOf(postgresUrlOf(config))
        : undefined;
    case "mongodb":
      return hostsOf(documentDbUriOf(config));
    default:
      return undefined;
  }
}

/** What stands between the credentials and the path of a connection string. */
function hostsOf(url: string): string {
  const authority = /^[a-z+]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  return /^[A-Za-z0-9_.:,[\]-]{1,240}$/.test(hosts) ? hosts : "unnamed";
}

/** Where PostgreSQL is, a server or a directory. @throws CodedError not_configured */
export function postgresUrlOf({ postgresUrl: url }: Config): string {
  if (url === undefined) {
    throw new CodedError("not_configured", { field: "TURNPROOF_POSTGRES_URL" });
  }
  return url;
}

/** Where MongoDB is. @throws CodedError not_configured */
export function documentDbUriOf({ documentDbUri: url }: Config): string {
  if (url === undefined) throw new CodedError("not_configured", { field: "DOCUMENT_DB_URI" });
  return url;
}

/** Where evidence lies in a file of its own. */
export function evidenceFolder(config: Config): string {
  return join(config.dataDir, "files");
}

/** Why the embedded engine cannot be loaded here, or undefined when it can. */
async function engineProblem(
  load: () => Promise<unknown> = () => import("chdb/connection"),
): Promise<keyof typeof engineSentences | undefined> {
  try {
    await loadDriver("chdb", load);
    return undefined;
  } catch (error) {
    return CodedError.is(error) ? "absent" : "broken";
  }
}

/** The filesystem store in place of an engine that cannot be loaded. */
function openFiles(
  config: Config,
  problem: keyof typeof engineSentences,
  options: OpenOptions,
): Promise<EvidenceStore> {
  const connection = connectionOf(config);
  if ("dataDir" in connection && existsSync(connection.dataDir)) {
    throw new CodedError("driver_missing", { field: "npm install chdb" });
  }
  options.say?.(engineSentences[problem]);
  return openStore({ ...config, backend: "filesystem" }, options);
}

/** A server by its URL, with credentials and database from it; else chDB in the data directory. */
export function connectionOf(config: Config): ClickhouseConnection {
  if (config.clickhouseUrl === undefined) return { dataDir: join(config.dataDir, "clickhouse") };
  const url = new URL(config.clickhouseUrl);
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const database = url.pathname.slice(1) || url.searchParams.get("database") || "";
  return {
    url: url.origin,
    ...(user === "" ? {} : { user }),
    ...(password === "" ? {} : { password }),
    ...(database === "" ? {} : { database }),
    ...(config.clickhouseCluster === undefined ? {} : { cluster: config.clickhouseCluster }),
    ...(config.clickhouseQuorum === undefined ? {} : { quorum: config.clickhouseQuorum }),
  };
}
