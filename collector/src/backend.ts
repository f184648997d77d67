/**
 * @module Backend: opens the evidence store that the configuration names.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { clickhouse, ephemeral, filesystem, mongodb, postgres } from "@turnproof/store";
import type { ClickhouseConnection, EvidenceStore } from "@turnproof/store";

import type { Config } from "./config.ts";

/** Opens the configured store; its own CodedErrors pass through. */
export async function openStore(config: Config): Promise<EvidenceStore> {
  switch (config.backend) {
    case "ephemeral":
      return ephemeral();
    case "clickhouse":
      return clickhouse({ connection: connectionOf(config) });
    case "postgres": {
      const url = config.postgresUrl;
      if (url === undefined) {
        throw new CodedError("not_configured", { field: "TURNPROOF_POSTGRES_URL" });
      }
      return (await postgres({ url })).evidence;
    }
    case "filesystem":
      return (await filesystem({ directory: join(config.dataDir, "files") })).evidence;
    case "mongodb": {
      const url = config.documentDbUri;
      if (url === undefined) throw new CodedError("not_configured", { field: "DOCUMENT_DB_URI" });
      return (await mongodb({ url })).evidence;
    }
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
