/**
 * @module Memory backend: opens the memory that the configuration names. Memory rows are the only
 * content a collector can reach, so the handle of routes refuses every change in read-only mode.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import { ephemeralMemory, filesystem, mongodb } from "@turnproof/store";
import type { AdministeredMemory, MemoryStore, SharedStore } from "@turnproof/store";

import { documentDbUriOf, postgresUrlOf } from "../backend.ts";
import type { Config } from "../config.ts";
import { openPostgres } from "../postgres-place.ts";

/**
 * Opens the configured memory; undefined for `none`.
 *
 * @throws CodedError of the provider, `not_configured` without its connection string
 */
export async function openMemory(config: Config): Promise<AdministeredMemory | undefined> {
  switch (config.memoryBackend) {
    case "none":
      return undefined;
    case "ephemeral":
      return ephemeralMemory();
    case "filesystem":
      return (await filesystem({ directory: memoryFolder(config) })).memory;
    case "postgres":
      return (await openPostgres(postgresUrlOf(config), "memory")).memory;
    case "mongodb": {
      const url = documentDbUriOf(config);
      return (await mongodb({ url, manageIndexes: !config.readOnly })).memory;
    }
  }
}

/** Where memory lies in plain files. */
export function memoryFolder(config: Config): string {
  return join(config.dataDir, "memory");
}

/** The memory as routes may use it: in read-only mode without any mutation. */
export function operatorMemory(
  memory: MemoryStore | undefined,
  readOnly: boolean,
): MemoryStore | undefined {
  if (memory === undefined || !readOnly) return memory;
  const refuse = async (): Promise<never> => {
    throw new CodedError("store_read_only");
  };
  const { shared } = memory;
  const reading: SharedStore = {
    put: refuse,
    get: shared.get.bind(shared),
    list: shared.list.bind(shared),
    update: refuse,
    delete: refuse,
  };
  return {
    name: memory.name,
    put: refuse,
    get: memory.get.bind(memory),
    list: memory.list.bind(memory),
    count: memory.count.bind(memory),
    update: refuse,
    delete: refuse,
    vectorSearch: memory.vectorSearch.bind(memory),
    textSearch: memory.textSearch.bind(memory),
    shared: reading,
    check: memory.check.bind(memory),
    close: memory.close.bind(memory),
    [Symbol.asyncDispose]: memory[Symbol.asyncDispose].bind(memory),
  };
}
