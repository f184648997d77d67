/**
 * @module Backend: opens each provider of the table from the configuration. One row per provider;
 * the collector, its reading threads and its commands open stores only through it.
 */
import { existsSync } from "node:fs";

import { CodedError } from "@turnproof/semconv";
import {
  clickhouse,
  ephemeral,
  ephemeralMemory,
  filesystem,
  loadDriver,
  mongodb,
} from "@turnproof/store";
import type {
  AdministeredMemory,
  EvidenceStore,
  FilesystemProvider,
  MongodbProvider,
  Provider,
  ProviderName,
} from "@turnproof/store";

import type { Config } from "../config/config.ts";
import { openPostgres, postgresFolder } from "./postgres-place.ts";
import {
  connectionOf,
  documentDbUriOf,
  evidenceFolder,
  hostsOf,
  memoryFolder,
  postgresUrlOf,
} from "./store-places.ts";

/** Why evidence is stored in a SQLite file by default; one sentence each. */
export const engineSentences = {
  absent:
    "Evidence is stored in a SQLite file, because the embedded ClickHouse engine is not installed: " +
    "run `npm install chdb`, or set TURNPROOF_CLICKHOUSE_URL or TURNPROOF_BACKEND.",
  broken:
    "Evidence is stored in a SQLite file, because the embedded ClickHouse engine has no build for " +
    "this platform: set TURNPROOF_CLICKHOUSE_URL to use a server.",
} as const;

/** Options of opening a store: the callback for notices, and how the engine is loaded. */
export interface OpenOptions {
  readonly print?: (sentence: string) => void;
  readonly loadEngine?: () => Promise<unknown>;
  /** Files of this directory are opened through a read-only connection. */
  readonly readOnly?: boolean;
}

/** A complete provider, with its administrative operations. */
export type Archive = Provider & {
  /** Copies the data of an earlier version. */
  readonly copyOld?: FilesystemProvider["copyOld"];
  readonly checkOld?: FilesystemProvider["checkOld"];
  readonly dropOld?: FilesystemProvider["dropOld"];
  readonly vectors?: Pick<MongodbProvider["vectors"], "migrate">;
};

/** Selects one of the two configured stores. */
export type StoreKind = "evidence" | "memory";

/** How a provider is opened. */
export interface ProviderOpening {
  /** Name of a store's server, with host and port of the configured one. */
  readonly server?: {
    readonly name: string;
    readonly of: (config: Config) => string | undefined;
  };
  readonly evidence?: (config: Config, options: OpenOptions) => Promise<EvidenceStore>;
  readonly memory?: (config: Config) => Promise<AdministeredMemory>;
  /** With `mayChange` false nothing is created or migrated. */
  readonly whole?: (config: Config, kind: StoreKind, mayChange: boolean) => Promise<Archive>;
}

/** Each provider of the table. ClickHouse has separate administrative access. */
export const openings: { readonly [P in ProviderName]: ProviderOpening } = {
  clickhouse: {
    server: {
      name: "clickhouse server",
      of: ({ clickhouseUrl: url }) => (url === undefined ? undefined : hostsOf(url)),
    },
    async evidence(config, options) {
      if (config.clickhouseUrl === undefined) {
        const problem = await engineProblem(options.loadEngine);
        if (problem !== undefined) return openFiles(config, problem, options);
      }
      return clickhouse({ connection: connectionOf(config) });
    },
  },
  filesystem: {
    evidence: async (config, { readOnly = false }) =>
      (await filesystem({ directory: evidenceFolder(config), readOnly })).evidence,
    memory: async (config) => (await filesystem({ directory: memoryFolder(config) })).memory,
    async whole(config, kind, mayChange) {
      const directory = kind === "evidence" ? evidenceFolder(config) : memoryFolder(config);
      if (!mayChange && !existsSync(directory)) {
        throw new CodedError("not_configured", { field: kind });
      }
      return filesystem({ directory, mayChange });
    },
  },
  postgres: {
    server: {
      name: "postgres server",
      of(config) {
        const url = postgresUrlOf(config);
        return postgresFolder(url) === undefined ? hostsOf(url) : undefined;
      },
    },
    evidence: async (config) => (await openPostgres(postgresUrlOf(config), "evidence")).evidence,
    memory: async (config) => (await openPostgres(postgresUrlOf(config), "memory")).memory,
    whole: async (config, _room, mayChange) =>
      openPostgres(postgresUrlOf(config), "whole", mayChange),
  },
  mongodb: {
    server: { name: "mongodb", of: (config) => hostsOf(documentDbUriOf(config)) },
    // Index changes are mutations too, and read-only mode rejects them (requirements:
    // Authentication 3).
    evidence: async (config) => (await openMongodb(config, !config.readOnly)).evidence,
    memory: async (config) => (await openMongodb(config, !config.readOnly)).memory,
    whole: async (config, _room, mayChange) => openMongodb(config, mayChange),
  },
  ephemeral: {
    evidence: async () => ephemeral(),
    memory: async () => ephemeralMemory(),
  },
};

function openMongodb(config: Config, manageIndexes: boolean): Promise<MongodbProvider> {
  return mongodb({ url: documentDbUriOf(config), manageIndexes });
}

/**
 * Opens the configured store; its own CodedErrors are passed on. Where the embedded engine cannot
 * be loaded it reports that and opens the filesystem store, unless the data directory has the
 * engine's data already: then it throws `driver_missing`, so that stored evidence is never
 * silently ignored.
 */
export async function openStore(config: Config, options: OpenOptions = {}): Promise<EvidenceStore> {
  const { evidence } = openings[config.backend];
  if (evidence === undefined) throw new CodedError("not_configured");
  return evidence(config, options);
}

/**
 * Opens the configured memory; undefined for `none`.
 *
 * @throws CodedError of the provider, `not_configured` without its connection string
 */
export async function openMemory(config: Config): Promise<AdministeredMemory | undefined> {
  const { memoryBackend: backend } = config;
  return backend === "none" ? undefined : openings[backend].memory?.(config);
}

/** Name of this backend's server. */
export function serverName(backend: ProviderName): string {
  return openings[backend].server?.name ?? backend;
}

/**
 * Host and port of a backend's server, without credentials; undefined for a store in this process
 * or its data directory.
 */
export function serverOf(
  config: Config,
  backend: Config["backend"] | Config["memoryBackend"] = config.backend,
): string | undefined {
  return backend === "none" ? undefined : openings[backend].server?.of(config);
}

/** Why the embedded engine cannot be loaded, or undefined when it can. */
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

/** The filesystem store instead of an engine that cannot be loaded. */
function openFiles(
  config: Config,
  problem: keyof typeof engineSentences,
  options: OpenOptions,
): Promise<EvidenceStore> {
  const connection = connectionOf(config);
  if ("dataDir" in connection && existsSync(connection.dataDir)) {
    throw new CodedError("driver_missing", { field: "npm install chdb" });
  }
  options.print?.(engineSentences[problem]);
  return openStore({ ...config, backend: "filesystem" }, options);
}
