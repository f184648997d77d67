/**
 * @module Backend: opens the evidence store that the configuration names.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { clickhouse, ephemeral, filesystem, mongodb, postgres } from "@turnproof/store";
import type { ClickhouseConnection, EvidenceStore } from "@turnproof/store";

import type { Config } from "./config.ts";

/** What is said where the embedded engine has no build; one sentence. */
export const noEngineSentence: string =
  "The embedded ClickHouse engine has no build for this platform, so evidence lies in plain files; " +
  "set TURNPROOF_CLICKHOUSE_URL to use a server.";

/** How a store is opened: who hears a sentence about it, and how the engine is loaded. */
export interface OpenOptions {
  readonly say?: (sentence: string) => void;
  readonly loadEngine?: () => Promise<unknown>;
}

/**
 * Opens the configured store; its own CodedErrors pass through. Where the embedded engine has no
 * build for the platform it says so and opens the filesystem store.
 */
export async function openStore(config: Config, options: OpenOptions = {}): Promise<EvidenceStore> {
  switch (config.backend) {
    case "ephemeral":
      return ephemeral();
    case "clickhouse":
      if (config.clickhouseUrl === undefined && !(await hasEngine(options.loadEngine))) {
        options.say?.(noEngineSentence);
        return openStore({ ...config, backend: "filesystem" });
      }
      return clickhouse({ connection: connectionOf(config) });
    case "postgres":
      return (await postgres({ url: postgresUrlOf(config) })).evidence;
    case "filesystem":
      return (await filesystem({ directory: evidenceFolder(config), reads: "native" })).evidence;
    case "mongodb": {
      const url = documentDbUriOf(config);
      // Work on indexes is a mutation too, and read-only mode rejects it (requirements: Authentication 1).
      return (await mongodb({ url, manageIndexes: !config.readOnly, reads: "native" })).evidence;
    }
  }
}

/** Where PostgreSQL is. @throws CodedError not_configured */
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

/** Where evidence lies in plain files. */
export function evidenceFolder(config: Config): string {
  return join(config.dataDir, "files");
}

/** True when the engine's native part can be loaded here. */
async function hasEngine(
  load: () => Promise<unknown> = () => import("chdb/connection"),
): Promise<boolean> {
  try {
    await load();
    return true;
  } catch {
    return false;
  }
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
  };
}
