/**
 * @module MemorySearch: nearest rows and rows with shared words, inside a filter (faults T6). The
 * tenant stands in the filter block of the vector search itself; small tenants, anonymous rows and
 * narrower filters are compared exactly, up to a bound that is said.
 */
import type { ScopedKind } from "@turnproof/semconv";
import type { Collection, Document } from "mongodb";

import { insideFilter } from "../memory/record-rules.ts";
import { nearestOf, sharingOf, wordsOf } from "../memory/similarity.ts";
import type { MemoryFilter, MemoryRecord, ScoredRecord, SearchResult } from "../memory-store.ts";
import { insideDocument, liveDocument, scopedRecord } from "./memory-document.ts";
import type { VectorIndexes } from "./vector-index.ts";

/** Where and under what a search looks. */
export interface SearchPlace {
  readonly collection: Collection<Document>;
  readonly filter: MemoryFilter;
  readonly kind: ScopedKind;
  readonly now: string;
  readonly exactRowsMax: number;
  readonly vectors: VectorIndexes;
}

type Best = (records: readonly MemoryRecord[]) => readonly ScoredRecord[];

/** Candidates that the index is asked for, per hit that is wanted. */
const candidatesPerHit = 20;
const candidatesMax = 10_000;

/** Rows nearest by cosine. */
export async function vectorSearch(
  place: SearchPlace,
  query: {
    readonly embedding: readonly number[];
    readonly limit: number;
    readonly minScore?: number;
  },
): Promise<SearchResult> {
  const { embedding, limit, minScore } = query;
  const best: Best = (records) => nearestOf(records, { embedding, limit, minScore });
  if (limit <= 0) return { hits: [], method: "exact", bounded: false, diagnostics: [] };
  const { index, diagnostics } = await place.vectors.forSearch(place.kind);
  const held = await place.collection.countDocuments(
    { $and: [...insideDocument(place.filter), { embedding: { $ne: null } }] },
    { limit: place.exactRowsMax + 1 },
  );
  if (index !== undefined && held > place.exactRowsMax && isWide(place.filter)) {
    const hits = best(await propose(place, index, query));
    if (hits.length >= limit) return { hits, method: "index", bounded: false, diagnostics };
  }
  const scanned = await scan(place, "embedding", best);
  const said = diagnostics.length > 0 || !scanned.bounded || index !== undefined;
  return { ...scanned, diagnostics: said ? diagnostics : ["vector_index_missing"] };
}

/** Rows that share words with the text. */
export async function textSearch(
  place: SearchPlace,
  query: { readonly text: string; readonly limit: number },
): Promise<SearchResult> {
  const words = wordsOf(query.text);
  if (words.size === 0 || query.limit <= 0) {
    return { hits: [], method: "exact", bounded: false, diagnostics: [] };
  }
  return scan(place, "text", (records) => sharingOf(records, words, query.limit));
}

/** Only the tenant is a filter field of the index; anonymous rows may lack the field itself. */
function isWide(filter: MemoryFilter): boolean {
  return (
    filter.tenant !== null &&
    filter.agentId === undefined &&
    filter.memoryId === undefined &&
    filter.threadId === undefined
  );
}

async function propose(
  place: SearchPlace,
  index: string,
  query: { readonly embedding: readonly number[]; readonly limit: number },
): Promise<readonly MemoryRecord[]> {
  const wanted = query.limit * 4;
  const found = await place.collection
    .aggregate([
      {
        $vectorSearch: {
          index,
          path: "embedding",
          queryVector: [...query.embedding],
          numCandidates: Math.min(candidatesMax, query.limit * candidatesPerHit),
          limit: wanted,
          filter: { user_id: { $eq: place.filter.tenant } },
        },
      },
      { $match: { $and: [...insideDocument(place.filter), liveDocument(place.now)] } },
    ])
    .toArray();
  return found
    .map((document) => scopedRecord(document, place.kind))
    .filter((record) => insideFilter(record, place.filter));
}

/** Compares the filtered rows here, the newest first, up to the bound. */
async function scan(
  place: SearchPlace,
  field: "embedding" | "text",
  best: Best,
): Promise<SearchResult> {
  const where = {
    $and: [...insideDocument(place.filter), liveDocument(place.now), { [field]: { $ne: null } }],
  };
  const rows = place.collection
    .find(where)
    .sort({ created_key: -1, id: 1 })
    .limit(place.exactRowsMax + 1);
  let hits: readonly ScoredRecord[] = [];
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
    if (insideFilter(record, place.filter)) block.push(record);
    if (block.length >= 500) settle();
  }
  settle();
  return { hits, method: "exact", bounded: seen > place.exactRowsMax, diagnostics: [] };
}
