/** @module EmbeddedPostgres: one PGlite with pgvector per file, emptied for every store. */
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { postgres } from "@turnproof/store";
import type { PostgresOptions, PostgresProvider } from "@turnproof/store";

/** An engine that takes seconds to start, and empty stores in it. */
export interface EmptiedPostgres {
  open(options?: Partial<PostgresOptions>): Promise<PostgresProvider>;
  readonly engine: PGlite;
}

/** Starts the engine in memory. */
export async function startEmbeddedPostgres(): Promise<EmptiedPostgres> {
  const engine = await PGlite.create({ extensions: { vector } });
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
