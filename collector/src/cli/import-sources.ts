/**
 * @module Import sources: reads legacy records: from files, a table of PostgreSQL or a collection
 * of MongoDB. Read-only: a table in a read-only transaction.
 */
import { createReadStream } from "node:fs";
import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { CodedError, isoTime } from "@turnproof/semconv";
import { loadDriver } from "@turnproof/store";

import { postgresFolder } from "../backend/postgres-place.ts";
import type { Config } from "../config/config.ts";

/** Records in batches, and the number of the source's parts read so far. */
export interface ImportedBatch {
  readonly rows: readonly unknown[];
  /** Number of files; a table or a collection counts as one. */
  readonly files: number;
}

/** Default table or collection of legacy bundles. */
export const defaultTable = "trace_bundles";

const batchRows = 500;

/**
 * Reads a folder, a file, or the configured databases for `postgres` and `mongodb`.
 *
 * @throws CodedError `not_configured` without a connection string, `parameter_invalid` for a
 * missing table, `store_unavailable` when the server does not answer
 */
export function recordsOf(
  source: string,
  table: string,
  config: Config,
): AsyncGenerator<ImportedBatch> {
  if (source === "postgres") return tableRows(config.postgresUrl, table);
  if (source === "mongodb") return collectionRows(config.documentDbUri, table);
  return fileRows(source);
}

async function* fileRows(folder: string): AsyncGenerator<ImportedBatch> {
  let files = 0;
  for (const file of await filesOf(folder)) {
    files += 1;
    let rows: unknown[] = [];
    for await (const row of rowsOf(file)) {
      rows.push(row);
      if (rows.length < batchRows) continue;
      yield { rows, files };
      rows = [];
    }
    yield { rows, files };
  }
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const at = await stat(folder);
  if (at.isFile()) return [folder];
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => /\.(json|jsonl|ndjson)$/i.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

/** A line that is not JSON is a row that is no record: the normalizer reports it. */
async function* rowsOf(file: string): AsyncGenerator<unknown> {
  if (/\.(jsonl|ndjson)$/i.test(file)) {
    const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
    for await (const line of lines) if (line.trim() !== "") yield parsed(line);
    return;
  }
  const value = parsed(await readFile(file, "utf8"));
  if (Array.isArray(value)) yield* value as unknown[];
  else yield value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const undefinedTable = "42P01";

async function* tableRows(url: string | undefined, table: string): AsyncGenerator<ImportedBatch> {
  // Bundles of versions 1 to 3 are on servers; only this version opens embedded databases.
  if (url === undefined || postgresFolder(url) !== undefined) {
    throw new CodedError("not_configured", { field: "TURNPROOF_POSTGRES_URL" });
  }
  if (!/^[A-Za-z_][\w$]{0,62}(\.[A-Za-z_][\w$]{0,62})?$/.test(table)) {
    throw new CodedError("parameter_invalid", { field: "table" });
  }
  const name = table.replace(/[^.]+/g, '"$&"');
  const { default: pg } = await loadDriver("pg", () => import("pg"));
  const client = new pg.Client({ connectionString: url });
  // A lost server rejects the pending query, so the event needs no handling.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("BEGIN READ ONLY");
    await client.query(
      `DECLARE records NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS record FROM ${name} t`,
    );
    for (;;) {
      const { rows } = await client.query<{ record: string }>(`FETCH ${batchRows} FROM records`);
      if (rows.length === 0) return;
      yield { rows: rows.map(({ record }) => asRecord(parsed(record), "id")), files: 1 };
    }
  } catch (error) {
    if (CodedError.is(error)) throw error;
    const { code } = error as { readonly code?: unknown };
    if (code === undefinedTable) throw new CodedError("parameter_invalid", { field: "table" });
    throw new CodedError("store_unavailable", { field: "TURNPROOF_POSTGRES_URL" });
  } finally {
    // The import has its result; the server drops a connection that did not close.
    await client.end().catch(() => {});
  }
}

async function* collectionRows(
  url: string | undefined,
  collection: string,
): AsyncGenerator<ImportedBatch> {
  if (url === undefined) throw new CodedError("not_configured", { field: "DOCUMENT_DB_URI" });
  const { MongoClient, MongoError } = await loadDriver("mongodb", () => import("mongodb"));
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000, appName: "turnproof" });
  try {
    await client.connect();
    const found = client.db().collection(collection).find({}, { batchSize: batchRows });
    let rows: unknown[] = [];
    for await (const document of found) {
      rows.push(asRecord(plain(document), "_id"));
      if (rows.length < batchRows) continue;
      yield { rows, files: 1 };
      rows = [];
    }
    yield { rows, files: 1 };
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw new CodedError("store_unavailable", { field: "DOCUMENT_DB_URI" });
  } finally {
    await client.close();
  }
}

/** The columns of a row hold the fields of a record. */
function asRecord(row: unknown, key: "id" | "_id"): unknown {
  if (typeof row !== "object" || row === null) return row;
  const parsed = row as Readonly<Record<string, unknown>>;
  const { [key]: id, ...rest } = parsed;
  const named = typeof id === "string" || typeof id === "number";
  return {
    ...rest,
    ...(parsed["record_id"] === undefined && named ? { record_id: String(id) } : {}),
    // Text is parsed only in a record that states its type.
    ...(parsed["record_type"] === undefined && parsed["event_kind"] === undefined
      ? { record_type: "trace_bundle" }
      : {}),
  };
}

/** A value of the driver's own type, with its text form. */
interface DriverValue {
  readonly _bsontype: string;
  toString(): string;
}

/** A document's values as JSON; bytes are left out. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date) return isoTime(value.getTime());
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return undefined;
  if ("_bsontype" in value) {
    const written = value as DriverValue;
    if (["ObjectId", "UUID"].includes(written._bsontype)) return written.toString();
    const number = ["Long", "Decimal128", "Double", "Int32"].includes(written._bsontype);
    return number ? Number(written.toString()) : undefined;
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
