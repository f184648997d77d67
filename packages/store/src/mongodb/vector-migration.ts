/**
 * @module VectorMigration: creates the missing search index of a collection of vectors, adds the
 * filter fields to existing ones, and waits until the server has built them. A build continues on
 * the server when the wait ends.
 */
import { setTimeout as wait } from "node:timers/promises";

import { memoryCollections, vectorKinds } from "@turnproof/semconv";
import type { Collection, Db, Document } from "mongodb";

import { inspect, newDefinition, searchIndexesOf, vectorPath } from "./search-index.ts";
import type { SearchIndex, SearchIndexState } from "./search-index.ts";
import { numberOf } from "./store-error.ts";

/** Options of the migration of search indexes; a dry run (the default) only reads. */
export interface SearchMigrationOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  /** Called with the number of collections done and of all collections. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Milliseconds to wait for indexes that are being built. Default ten minutes. */
  readonly waitMs?: number;
}

/** State of the search index of one collection. */
export interface SearchMigrationRow {
  readonly collection: string;
  /**
   * `ready`, `building`, `stale`, `failed`, `unscoped`; `missing`: it has vectors and no index of
   * their length; `no vectors`: there is nothing to index; `no search`: the server has none;
   * `refused`: the principal may not create it.
   */
  readonly state:
    | Exclude<SearchIndexState, "none">
    | "missing"
    | "no vectors"
    | "no search"
    | "refused";
  /** Length of the vectors; null where there are none. */
  readonly dimensions: number | null;
}

/** Newest rows whose vectors determine the length. */
const sampledRows = 1_000;
const pollMs = 500;
const waitMsDefault = 600_000;

/** Migrates every collection's index, and returns the state of each. */
export async function migrateSearchIndexes(
  database: Db,
  mayChange: boolean,
  options: SearchMigrationOptions,
): Promise<readonly SearchMigrationRow[]> {
  const { signal, onProgress, dryRun = true, waitMs = waitMsDefault } = options;
  const until = Date.now() + waitMs;
  const rows: SearchMigrationRow[] = [];
  const collections = vectorKinds.map((kind) => database.collection(memoryCollections[kind]));
  // All builds begin before the first wait.
  const begun: (SearchMigrationRow | undefined)[] = [];
  for (const collection of collections) {
    begun.push(await begin(collection, mayChange && !dryRun));
  }
  onProgress?.(0, collections.length);
  for (const [at, collection] of collections.entries()) {
    let row = begun[at] ?? (await stateOf(collection));
    while (row.state === "building" && !dryRun && Date.now() < until && signal?.aborted !== true) {
      // The wait ends early when the signal aborts.
      await wait(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      row = await stateOf(collection);
    }
    rows.push(row);
    onProgress?.(rows.length, collections.length);
  }
  return rows;
}

/**
 * Creates or repairs the index of a collection; returns only a state that no later check can find.
 */
async function begin(
  collection: Collection<Document>,
  mayChange: boolean,
): Promise<SearchMigrationRow | undefined> {
  const row = await stateOf(collection);
  if (!mayChange || row.state === "no search" || row.state === "no vectors") return undefined;
  if (row.state !== "missing") {
    await inspect(collection, true);
    return undefined;
  }
  const dimensions = row.dimensions ?? 0;
  try {
    await collection.createSearchIndex({
      name: `turnproof_${vectorPath}_${dimensions}`,
      type: "vectorSearch",
      definition: newDefinition(dimensions),
    });
    return undefined;
  } catch (error) {
    if (numberOf(error) !== unauthorized) throw error;
    return { ...row, state: "refused" };
  }
}

const unauthorized = 13;

async function stateOf(collection: Collection<Document>): Promise<SearchMigrationRow> {
  const about = { collection: collection.collectionName };
  let indexes: readonly SearchIndex[];
  try {
    indexes = searchIndexesOf(await collection.listSearchIndexes().toArray());
  } catch (error) {
    // No response at all must not be taken for a server without search.
    if (numberOf(error) === undefined) throw error;
    return { ...about, state: "no search", dimensions: null };
  }
  const dimensions = await dimensionsOf(collection);
  if (dimensions === undefined) {
    const [held] = indexes;
    if (held === undefined) return { ...about, state: "no vectors", dimensions: null };
    return { ...about, state: shown(held.state), dimensions: held.dimensions };
  }
  const own = indexes.filter((index) => index.dimensions === dimensions);
  const best = own.find(({ state }) => state === "ready") ?? own[0];
  return { ...about, state: best === undefined ? "missing" : shown(best.state), dimensions };
}

function shown(state: SearchIndexState): SearchMigrationRow["state"] {
  return state === "none" ? "missing" : state;
}

/** The length of most of the newest vectors; undefined without vectors. */
async function dimensionsOf(collection: Collection<Document>): Promise<number | undefined> {
  const [most] = await collection
    .aggregate([
      { $match: { [vectorPath]: { $type: "array" } } },
      { $sort: { created_key: -1, id: 1, user_id: 1 } },
      { $limit: sampledRows },
      { $group: { _id: { $size: `$${vectorPath}` }, rows: { $sum: 1 } } },
      { $sort: { rows: -1, _id: -1 } },
      { $limit: 1 },
    ])
    .toArray();
  const length = Number(most?.["_id"] ?? 0);
  return length > 0 ? length : undefined;
}
