/**
 * @module MemorySearch: nearest rows and rows with shared words, inside a filter (faults T6). With
 * pgvector the database proposes candidates and the process decides by exact cosine, so that the
 * rounding of a float4 or an approximate index cannot change the answer: candidates grow until the
 * last of them is certainly worse than the last hit. Without it, filtered rows are compared here.
 */
import type { ScopedKind } from "@turnproof/semconv";

import { nearestOf, sharingOf, wordsOf } from "../memory/similarity.ts";
import type { MemoryFilter, MemoryRecord, ScoredRecord, SearchResult } from "../memory-store.ts";
import type { Session } from "./database.ts";
import { insideSql, liveSql } from "./memory-condition.ts";
import { directionText, scopedColumns, scopedRecord } from "./memory-row.ts";
import { bindings, tableOf } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";

/** Scope and bounds of a search. */
export interface SearchPlace {
  readonly session: Session;
  readonly filter: MemoryFilter;
  readonly kind: ScopedKind;
  readonly now: string;
  /** Dimensions with an approximate index on this table, or undefined without pgvector. */
  readonly indexed: ReadonlySet<number> | undefined;
  /** Rows up to which every row is compared. */
  readonly exactRowsMax: number;
}

/** Parameters of a search. */
export interface VectorQuery {
  readonly embedding: readonly number[];
  readonly limit: number;
  readonly minScore?: number;
}

/** Rows of one read of a scan. */
const chunkRows = 500;
/** Upper bound of the change of a score by rounding to float4. */
const rounding = 1e-5;

/** Rows nearest by cosine. */
export async function vectorSearch(place: SearchPlace, query: VectorQuery): Promise<SearchResult> {
  const { embedding, limit, minScore } = query;
  const best: Best = (records) => nearestOf(records, { embedding, limit, minScore });
  if (limit <= 0) return answer([], false);
  if (place.indexed === undefined) {
    const scanned = await scan(place, "embedding IS NOT NULL", best);
    const diagnostics = scanned.bounded ? ["vector_index_missing"] : [];
    return { ...answer(scanned.hits, scanned.bounded), diagnostics };
  }
  const odd = await scan(place, "embedding IS NOT NULL AND embedding_vector IS NULL", best);
  const direction = directionText(embedding);
  if (direction === undefined) return answer(odd.hits, odd.bounded);
  const proposed = await propose(place, { ...query, direction }, best);
  const hits = best([...odd.hits, ...proposed.hits].map(({ record }) => record));
  return { ...answer(hits, odd.bounded), method: proposed.method };
}

/** Rows that share words with the text. */
export async function textSearch(
  place: SearchPlace,
  query: { readonly text: string; readonly limit: number },
): Promise<SearchResult> {
  const words = wordsOf(query.text);
  if (words.size === 0 || query.limit <= 0) return answer([], false);
  const best: Best = (records) => sharingOf(records, words, query.limit);
  const scanned = await scan(place, "body IS NOT NULL", best);
  return answer(scanned.hits, scanned.bounded);
}

function answer(hits: readonly ScoredRecord[], bounded: boolean): SearchResult {
  return { hits, method: "exact", bounded, diagnostics: [] };
}

type Best = (records: readonly MemoryRecord[]) => readonly ScoredRecord[];

/** Compares the filtered rows here, newest written first, up to the bound. */
async function scan(
  place: SearchPlace,
  also: string,
  best: Best,
): Promise<{ readonly hits: readonly ScoredRecord[]; readonly bounded: boolean }> {
  let hits: readonly ScoredRecord[] = [];
  let before = "9223372036854775807";
  for (let seen = 0; ;) {
    const bind = bindings();
    const where = `${within(place, bind)} AND ${also} AND row_no < ${bind.plain(before)}::bigint`;
    const { rows } = await place.session.query(
      `SELECT ${scopedColumns} FROM ${tableOf(place.kind)} AS held
WHERE ${where} ORDER BY held.row_no DESC LIMIT ${chunkRows}`,
      bind.parameters,
    );
    const records = rows.map((row) => scopedRecord(row, place.kind));
    hits = best([...hits.map(({ record }) => record), ...records]);
    seen += rows.length;
    if (rows.length < chunkRows) return { hits, bounded: false };
    if (seen >= place.exactRowsMax) return { hits, bounded: true };
    before = rows.at(-1)?.["row_no"] as string;
  }
}

type Directed = VectorQuery & { readonly direction: string };

/**
 * Candidates from pgvector: exact order for small tenants, the index with a top-up for large ones.
 */
async function propose(
  place: SearchPlace,
  query: Directed,
  best: Best,
): Promise<{ readonly hits: readonly ScoredRecord[]; readonly method: "index" | "exact" }> {
  const { limit, minScore = 0, embedding } = query;
  const held = await comparable(place, embedding.length);
  let method: "index" | "exact" =
    held > place.exactRowsMax && place.indexed?.has(embedding.length) === true ? "index" : "exact";
  for (let wanted = limit * 2 + 16; ;) {
    const { records, lastScore } = await nearest(place, query, method, wanted);
    if (method === "index" && records.length < Math.min(wanted, held)) {
      // The index stopped before it found enough rows of this tenant.
      method = "exact";
      continue;
    }
    const hits = best(records);
    const floor = hits.length < limit ? minScore : (hits.at(-1)?.score ?? 0);
    if (records.length < wanted || lastScore < floor - rounding) return { hits, method };
    wanted *= 4;
  }
}

/** Number of rows to compare, counted up to one more than is compared exactly. */
async function comparable(place: SearchPlace, dimensions: number): Promise<number> {
  const bind = bindings();
  const where = `${within(place, bind)} AND ${ofDimensions(dimensions)}`;
  const { rows } = await place.session.query(
    `SELECT count(*)::text AS n FROM
    (SELECT 1 FROM ${tableOf(place.kind)} WHERE ${where} LIMIT ${place.exactRowsMax + 1}) AS counted`,
    bind.parameters,
  );
  return Number(rows[0]?.["n"]);
}

interface Nearest {
  readonly records: readonly MemoryRecord[];
  /** Score of the farthest candidate, as the database computes it. */
  readonly lastScore: number;
}

async function nearest(
  place: SearchPlace,
  query: Directed,
  method: "index" | "exact",
  wanted: number,
): Promise<Nearest> {
  if (method === "index") await place.session.query(iterativeScan);
  const bind = bindings();
  const dimensions = query.embedding.length;
  const where = `${within(place, bind)} AND ${ofDimensions(dimensions)}`;
  const type = `vector(${dimensions})`;
  const direction = `${bind.plain(query.direction)}::${type}`;
  // The index is on the expression with its dimensions, so the plain column is compared exactly.
  const column = method === "index" ? `embedding_vector::${type}` : "embedding_vector";
  const { rows } = await place.session.query(
    `SELECT ${scopedColumns}, ((${column}) <=> ${direction})::text AS distance
FROM ${tableOf(place.kind)} WHERE ${where}
ORDER BY (${column}) <=> ${direction} LIMIT ${wanted}`,
    bind.parameters,
  );
  const last = Number(rows.at(-1)?.["distance"] ?? 2);
  return {
    records: rows.map((row) => scopedRecord(row, place.kind)),
    lastScore: 1 - last / 2,
  };
}

/**
 * The index continues until enough rows match the filter; local to the transaction of the search.
 */
const iterativeScan = `SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
    set_config('hnsw.ef_search', '200', true)`;

function within(place: SearchPlace, bind: Bindings): string {
  const inside = insideSql(place.filter, bind);
  return `${inside} AND ${liveSql(place.now, bind)}`;
}

/** The same condition as in the partial index. */
function ofDimensions(dimensions: number): string {
  return `embedding_vector IS NOT NULL AND vector_dims(embedding_vector) = ${dimensions}`;
}
