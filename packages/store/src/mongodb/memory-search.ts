/**
 * @module MemorySearch: nearest rows and rows with shared words, inside a filter (faults T6).
 * Tenant and levels are in the filter block of the vector search itself; small sets and anonymous
 * rows are compared exactly, up to a reported bound.
 */
import type { ScopedKind } from "@turnproof/semconv";
import type { Collection, Document } from "mongodb";

import { insideFilter, levelsOf } from "../memory/record-rules.ts";
import { nearestOf, sharingOf, wordsOf } from "../memory/similarity.ts";
import type { MemoryFilter, MemoryRecord, ScoredRecord, SearchResult } from "../memory-store.ts";
import { endOf, insideDocument, liveDocument, scopedRecord } from "./memory-document.ts";
import { vectorPath } from "./search-index.ts";
import type { SearchIndex } from "./search-index.ts";
import { numberOf } from "./store-error.ts";
import type { MongoVectorIndexes } from "./vector-index.ts";

/** Scope and bounds of a search. */
export interface MongoSearchPlace {
  readonly collection: Collection<Document>;
  readonly filter: MemoryFilter;
  readonly kind: ScopedKind;
  readonly now: string;
  readonly exactRowsMax: number;
  readonly vectors: MongoVectorIndexes;
}

type Best = (records: readonly MemoryRecord[]) => readonly ScoredRecord[];

/** Candidates requested from the index per wanted hit; the server allows 10,000. */
const candidatesPerHit = 20;
const candidatesMax = 10_000;
/** Rows requested from the index per hit: some of them may have changed since. */
const rowsPerHit = 4;

interface AtlasQuery {
  readonly embedding: readonly number[];
  readonly limit: number;
  readonly minScore?: number;
}

/** Rows nearest by cosine. */
export async function vectorSearch(
  place: MongoSearchPlace,
  query: AtlasQuery,
): Promise<SearchResult> {
  const { embedding, minScore } = query;
  const limit = Math.trunc(query.limit);
  const best: Best = (records) => nearestOf(records, { embedding, limit, minScore });
  // A zero vector is near to nothing, and an error for the server.
  if (!(limit > 0) || embedding.every((n) => n === 0)) {
    return { hits: [], method: "exact", bounded: false, diagnostics: [] };
  }
  const { index, diagnostics, reason } = await place.vectors.forSearch(
    place.kind,
    embedding.length,
  );
  let failed: "vector_index_failed" | undefined;
  let proposed: readonly MemoryRecord[] = [];
  let whole = false;
  if (index !== undefined && canBeRequested(place.filter) && (await isLarge(place))) {
    const found = await propose(place, index, { embedding, limit }).catch(refusal);
    if (found === undefined) {
      place.vectors.refused(place.kind);
      failed = "vector_index_failed";
    } else {
      // If the last candidate is below the requested score, no nearer one was missed.
      if (found.records.length >= limit) {
        return { hits: best(found.records), method: "index", bounded: false, diagnostics };
      }
      proposed = found.records;
      whole = found.whole;
    }
  }
  const scanned = await scan(place, "embedding", best, proposed);
  // The reason why the index was not used is reported by every search that reached the bound.
  const cause = index === undefined ? (reason ?? "vector_index_missing") : undefined;
  const bounding = scanned.bounded && cause !== undefined ? [cause] : [];
  const reasons = new Set([...diagnostics, ...(failed === undefined ? [] : [failed]), ...bounding]);
  return { ...scanned, bounded: scanned.bounded && !whole, diagnostics: [...reasons] };
}

/** True above the number of rows that are compared exactly. */
async function isLarge({ collection, filter, exactRowsMax }: MongoSearchPlace): Promise<boolean> {
  const where = { $and: [...insideDocument(filter), { embedding: { $ne: null } }] };
  const held = await collection.countDocuments(where, { limit: exactRowsMax + 1 });
  return held > exactRowsMax;
}

/** Undefined for a refusal of the server; a failed connection remains an error. */
function refusal(error: unknown): undefined {
  if (numberOf(error) === undefined) throw error;
  return undefined;
}

/** Rows that share words with the text. */
export async function textSearch(
  place: MongoSearchPlace,
  query: { readonly text: string; readonly limit: number },
): Promise<SearchResult> {
  const words = wordsOf(query.text);
  if (words.size === 0 || query.limit <= 0) {
    return { hits: [], method: "exact", bounded: false, diagnostics: [] };
  }
  return scan(place, "text", (records) => sharingOf(records, words, query.limit));
}

/**
 * Rows without a tenant or a level may lack the field itself, which search indexes cannot match.
 */
function canBeRequested(filter: MemoryFilter): boolean {
  return filter.tenant !== null && levelsOf(filter).every(([, value]) => value !== null);
}

interface Proposed {
  readonly records: readonly MemoryRecord[];
  /** True where the index compared every vector, so that fewer rows than requested are all. */
  readonly whole: boolean;
}

/** Rows from the index, filtered again, because it lags behind its collection. */
async function propose(
  place: MongoSearchPlace,
  index: SearchIndex,
  query: { readonly embedding: readonly number[]; readonly limit: number },
): Promise<Proposed> {
  const { limit } = query;
  // Above the limit of an approximate search, the index compares every vector.
  const amount =
    limit > candidatesMax
      ? { exact: true, limit }
      : {
          numCandidates: Math.min(candidatesMax, limit * candidatesPerHit),
          limit: Math.min(candidatesMax, limit * rowsPerHit),
        };
  const found = await place.collection
    .aggregate([
      {
        $vectorSearch: {
          index: index.name,
          path: vectorPath,
          queryVector: [...query.embedding],
          ...amount,
          filter: stageFilter(place, index),
        },
      },
      { $match: { $and: [...insideDocument(place.filter), liveDocument(place.now)] } },
    ])
    .toArray();
  const records = found
    .map((document) => scopedRecord(document, place.kind))
    .filter((record) => insideFilter(record, place.filter));
  return { records, whole: limit > candidatesMax };
}

/** Tenant, levels and time, as far as the index has the fields; it always has the tenant. */
function stageFilter({ filter, now }: MongoSearchPlace, { filters }: SearchIndex): Document {
  const levels = levelsOf(filter).filter(([field]) => filters.has(field));
  return {
    user_id: { $eq: filter.tenant },
    ...Object.fromEntries(levels.map(([field, value]) => [field, { $eq: value }])),
    // Rows without an expiry lack the number, which only a negation matches.
    ...(filters.has("expires_ms") ? { expires_ms: { $not: { $lte: endOf(now) } } } : {}),
  };
}

/**
 * Compares the filtered rows here, newest first, up to the bound, together with those from the
 * index.
 */
async function scan(
  place: MongoSearchPlace,
  field: "embedding" | "text",
  best: Best,
  proposed: readonly MemoryRecord[] = [],
): Promise<SearchResult> {
  const where = {
    $and: [...insideDocument(place.filter), liveDocument(place.now), { [field]: { $ne: null } }],
  };
  const rows = place.collection
    .find(where)
    .sort({ created_key: -1, id: 1 })
    .limit(place.exactRowsMax + 1);
  const known = new Set(proposed.map(({ id }) => id));
  let hits: readonly ScoredRecord[] = best(proposed);
  let block: MemoryRecord[] = [];
  let seen = 0;
  const settle = (): void => {
    hits = best([...hits.map(({ record }) => record), ...block]);
    block = [];
  };
  for await (const row of rows) {
    seen += 1;
    if (seen > place.exactRowsMax) break;
    const record = scopedRecord(row, place.kind);
    if (insideFilter(record, place.filter) && !known.has(record.id)) block.push(record);
    if (block.length >= 500) settle();
  }
  settle();
  return { hits, method: "exact", bounded: seen > place.exactRowsMax, diagnostics: [] };
}
