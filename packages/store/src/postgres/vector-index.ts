/**
 * @module VectorIndex: pgvector where it is installed: a column beside each embedding, and one
 * HNSW index per table and number of dimensions, created on an operator's request.
 */
import { CodedError, scopedKinds } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import type { Database } from "./database.ts";
import { readScript } from "./migration.ts";
import { bindings, tableOf } from "./sql-text.ts";

/** Indexed dimensions by table; undefined where pgvector is not installed. */
export type VectorIndexes = ReadonlyMap<ScopedKind, Set<number>>;

/** Most dimensions of an HNSW index of the type `vector`. */
const indexedDimensionsMax = 2_000;

/** SQLSTATEs: missing permission, and a table that cannot be altered this way. */
const [notMine, isPartition] = ["42501", "42809"];

/** Adds pgvector's columns when the extension is available, and reads what is indexed. */
export async function openVectors(
  database: Database,
  mayChange: boolean,
): Promise<VectorIndexes | undefined> {
  if (!(await hasColumn(database))) {
    if (!mayChange || !(await isAvailable(database))) return undefined;
    const script = await readScript("vector");
    try {
      await database.transaction((session) => session.script(script));
    } catch (error) {
      // Creating an extension may need another role, and a partition accepts no column: searches
      // are then exact in the process.
      const state = CodedError.is(error) ? error.field?.slice(-5) : undefined;
      if (state === notMine || state === isPartition) return undefined;
      throw error;
    }
  }
  return readIndexes(database);
}

async function hasColumn(database: Database): Promise<boolean> {
  const bind = bindings();
  const tables = bind.texts(scopedKinds.map(tableOf));
  const { rows } = await database.query(
    `SELECT count(*)::text AS n FROM pg_attribute
WHERE attrelid = ANY(SELECT to_regclass(name) FROM unnest(${tables}) AS name)
    AND attname = 'embedding_vector' AND NOT attisdropped`,
    bind.parameters,
  );
  return Number(rows[0]?.["n"]) === scopedKinds.length;
}

async function isAvailable(database: Database): Promise<boolean> {
  const { rows } = await database.query(
    "SELECT 1 AS one FROM pg_available_extensions WHERE name = 'vector'",
  );
  return rows.length > 0;
}

async function readIndexes(database: Database): Promise<VectorIndexes> {
  const indexes = new Map<ScopedKind, Set<number>>();
  for (const kind of scopedKinds) {
    const bind = bindings();
    const { rows } = await database.query(
      `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = to_regclass(${bind.plain(tableOf(kind))}) AND i.indisvalid`,
      bind.parameters,
    );
    const found = rows.flatMap((row) => {
      const dimensions = /_hnsw_(\d+)$/.exec(String(row["name"]))?.[1];
      return dimensions === undefined ? [] : [Number(dimensions)];
    });
    indexes.set(kind, new Set(found));
  }
  return indexes;
}

/**
 * Creates the approximate index of one table for embeddings of this length; searches of tenants
 * with more rows than are compared exactly use it. Returns false where pgvector is not installed.
 * @throws CodedError record_invalid for a number of dimensions that cannot be indexed
 */
export async function makeVectorIndex(
  database: Database,
  indexes: VectorIndexes | undefined,
  kind: ScopedKind,
  dimensions: number,
): Promise<boolean> {
  const known = indexes?.get(kind);
  if (known === undefined) return false;
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > indexedDimensionsMax) {
    throw new CodedError("record_invalid", { field: "dimensions" });
  }
  const table = tableOf(kind);
  await database.query(
    `CREATE INDEX IF NOT EXISTS ${table}_hnsw_${dimensions} ON ${table}
    USING hnsw ((embedding_vector::vector(${dimensions})) vector_cosine_ops)
    WHERE embedding_vector IS NOT NULL AND vector_dims(embedding_vector) = ${dimensions}`,
  );
  known.add(dimensions);
  return true;
}
