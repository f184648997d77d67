/**
 * @module Openers: providers whose modules are loaded as one of them is opened. A process uses one
 * or two providers, and each thread of a collector loads its modules again.
 */
import type { FilesystemOptions, FilesystemProvider } from "./filesystem/filesystem.ts";
import type { MongodbOptions } from "./mongodb/mongodb-options.ts";
import type { MongodbProvider } from "./mongodb/mongodb.ts";
import type { PostgresOptions } from "./postgres/postgres-options.ts";
import type { PostgresProvider } from "./postgres/postgres.ts";

/** Opens evidence and memory in a directory, as `filesystem/filesystem.ts` documents. */
export async function filesystem(options: FilesystemOptions): Promise<FilesystemProvider> {
  const { filesystem: open } = await import("./filesystem/filesystem.ts");
  return open(options);
}

/** Opens evidence and memory in PostgreSQL, as `postgres/postgres.ts` documents. */
export async function postgres(options: PostgresOptions): Promise<PostgresProvider> {
  const { postgres: open } = await import("./postgres/postgres.ts");
  return open(options);
}

/** Opens evidence and memory in MongoDB, as `mongodb/mongodb.ts` documents. */
export async function mongodb(options: MongodbOptions): Promise<MongodbProvider> {
  const { mongodb: open } = await import("./mongodb/mongodb.ts");
  return open(options);
}
