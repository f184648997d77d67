/**
 * @module Archive: the configured providers, whole, for operators' commands: their retention and
 * what an earlier version left lie beside the ports that a collector serves. None for ClickHouse,
 * which has an administrative side of its own, and for what lies in a process.
 */
import { existsSync } from "node:fs";

import { CodedError } from "@turnproof/semconv";
import { filesystem, mongodb } from "@turnproof/store";
import type { FilesystemProvider, MongodbProvider, Provider } from "@turnproof/store";

import { documentDbUriOf, evidenceFolder, postgresUrlOf } from "../backend.ts";
import type { Config } from "../config.ts";
import { memoryFolder } from "../memory/memory-backend.ts";
import { openPostgres } from "../postgres-place.ts";

/** A provider, and search indexes where it is MongoDB's. */
export type Archive = Provider & {
  /** What an earlier version wrote, where it is copied into what this one reads. */
  readonly copyOld?: FilesystemProvider["copyOld"];
  readonly checkOld?: FilesystemProvider["checkOld"];
  readonly dropOld?: FilesystemProvider["dropOld"];
  readonly vectors?: Pick<MongodbProvider["vectors"], "migrate">;
};

/** Which of the two configured stores is meant. */
export type Room = "evidence" | "memory";

/** What the configuration names for the room. */
export function backendOf(config: Config, room: Room): Config["backend"] | Config["memoryBackend"] {
  return room === "evidence" ? config.backend : config.memoryBackend;
}

/**
 * Opens the provider of a room; undefined where it is not one of these three. With `mayChange` false
 * nothing is made or migrated: `not_configured` says that the schema is behind.
 * @throws CodedError of the provider, `not_configured` without its connection string
 */
export async function openArchive(
  config: Config,
  room: Room,
  { mayChange = true }: { readonly mayChange?: boolean } = {},
): Promise<Archive | undefined> {
  switch (backendOf(config, room)) {
    case "filesystem": {
      const directory = room === "evidence" ? evidenceFolder(config) : memoryFolder(config);
      if (!mayChange && !existsSync(directory)) {
        throw new CodedError("not_configured", { field: room });
      }
      return filesystem({ directory, mayChange });
    }
    case "postgres":
      return openPostgres(postgresUrlOf(config), "whole", mayChange);
    case "mongodb": {
      const url = documentDbUriOf(config);
      return mongodb({ url, manageIndexes: mayChange });
    }
    case "clickhouse":
    case "ephemeral":
    case "none":
      return undefined;
  }
}
