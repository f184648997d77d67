/** @module StorePlaces: location of each store, from the configuration. */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import type { ClickhouseConnection } from "@turnproof/store";

import type { Config } from "../config/config.ts";

/**
 * Host and port of a connection string, without credentials: the part between these and the path.
 */
export function hostsOf(url: string): string {
  const authority = /^[a-z+]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  const hosts = authority.slice(authority.lastIndexOf("@") + 1);
  return /^[A-Za-z0-9_.:,[\]-]{1,240}$/.test(hosts) ? hosts : "unnamed";
}

/** URL of PostgreSQL, a server or a directory. @throws CodedError not_configured */
export function postgresUrlOf({ postgresUrl: url }: Config): string {
  if (url === undefined) {
    throw new CodedError("not_configured", { field: "TURNPROOF_POSTGRES_URL" });
  }
  return url;
}

/** URI of MongoDB. @throws CodedError not_configured */
export function documentDbUriOf({ documentDbUri: url }: Config): string {
  if (url === undefined) throw new CodedError("not_configured", { field: "DOCUMENT_DB_URI" });
  return url;
}

/** Folder of the evidence file. */
export function evidenceFolder(config: Config): string {
  return join(config.dataDir, "files");
}

/** Folder of the memory files. */
export function memoryFolder(config: Config): string {
  return join(config.dataDir, "memory");
}

/** Folder of the tables of the embedded ClickHouse, below the data directory. */
export const tablesFolder = "clickhouse/clickhouse/data/default";

/**
 * Folder of a part of such a table, below the data directory.
 *
 * @param isAside where it is detached
 */
export function partPath(table: string, part: string, isAside: boolean): string {
  return `${tablesFolder}/${table}/${isAside ? "detached/" : ""}${part}`;
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

/**
 * Hosts and database of the evidence on a server, without credentials; undefined where it lies in
 * the data directory or memory.
 */
export function serverPlaceOf(config: Config, host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  const { backend } = config;
  if (backend === "clickhouse") {
    const connection = connectionOf(config);
    return `${backend} ${host} ${("database" in connection && connection.database) || "default"}`;
  }
  const url = backend === "postgres" ? postgresUrlOf(config) : documentDbUriOf(config);
  const path = /^[a-z+]+:\/\/[^/?#]*\/?([^?#]*)/i.exec(url)?.[1] ?? "";
  return `${backend} ${host} ${path}`;
}
