/** @module EmbeddedPostgres: one PGlite with pgvector per file, emptied for every store. */
import type { PGlite } from "@electric-sql/pglite";
import { postgres } from "@turnproof/store";
import type { PostgresOptions, PostgresProvider } from "@turnproof/store";

import { startPglite } from "../../servers/pglite.ts";

/** An engine that takes seconds to start, and empty stores in it. */
export interface EmptiedPostgres {
  open(options?: Partial<PostgresOptions>): Promise<PostgresProvider>;
  readonly engine: PGlite;
}

/** Starts the engine in memory. */
export async function startEmbeddedPostgres(): Promise<EmptiedPostgres> {
  const engine = await startPglite();
  return {
    engine,
    async open(options = {}) {
      const { rows } = await engine.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'turnproof_migrations'`,
      );
      if (rows.length > 0) {
        const names = rows.map(({ name }) => name).join(", ");
        await engine.exec(`TRUNCATE ${names} RESTART IDENTITY`);
      }
      return postgres({ ...options, client: engine });
    },
  };
}
