/**
 * @module Similarity: exact cosine over embeddings and the word overlap of the text fallback, the
 * same for every provider that scans.
 */
import type { MemoryRecord, ScoredRecord } from "../memory-store.ts";

/** Cosine mapped to [0, 1]; undefined for vectors that cannot be compared. */
function cosine(a: readonly number[], b: readonly number[]): number | undefined {
  if (a.length !== b.length || a.length === 0) return undefined;
  let dot = 0;
  let left = 0;
  let right = 0;
  for (let i = 0; i < a.length; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  if (left === 0 || right === 0) return undefined;
  return Math.min(1, Math.max(0, (dot / Math.sqrt(left * right) + 1) / 2));
}

/** Words of a text, lower-case, without marks; any script. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [],
  );
}

/** Share of the query's words that are in the text; undefined when there are none. */
function overlap(query: ReadonlySet<string>, text: string | undefined): number | undefined {
  if (text === undefined || query.size === 0) return undefined;
  const words = wordsOf(text);
  let found = 0;
  for (const word of query) if (words.has(word)) found += 1;
  return found === 0 ? undefined : found / query.size;
}

/** Records nearest to a vector. */
export function nearestOf(
  records: readonly MemoryRecord[],
  query: {
    readonly embedding: readonly number[];
    readonly limit: number;
    readonly minScore?: number | undefined;
  },
): readonly ScoredRecord[] {
  const score = ({ embedding }: MemoryRecord): number | undefined =>
    embedding === undefined ? undefined : cosine(query.embedding, embedding);
  return bestOf(records, score, query.limit, query.minScore);
}

/** Records that share most of these words. */
export function sharingOf(
  records: readonly MemoryRecord[],
  words: ReadonlySet<string>,
  limit: number,
): readonly ScoredRecord[] {
  return bestOf(records, (record) => overlap(words, record.text), limit);
}

/**
 * The best hits, best first; equal scores by newest, then by id, so that the order never depends
 * on a store.
 */
function bestOf(
  records: readonly MemoryRecord[],
  scoreOf: (record: MemoryRecord) => number | undefined,
  limit: number,
  minScore = 0,
): readonly ScoredRecord[] {
  const hits: ScoredRecord[] = [];
  for (const record of records) {
    const score = scoreOf(record);
    if (score !== undefined && score >= minScore) hits.push({ record, score });
  }
  hits.sort((a, b) => b.score - a.score || compareRecords(a.record, b.record));
  return hits.slice(0, limit);
}

/** Newest `created_at` first, ties by id: the order of every list. */
export function compareRecords(
  a: Pick<MemoryRecord, "created_at" | "id">,
  b: Pick<MemoryRecord, "created_at" | "id">,
): number {
  const [left, right] = [timeKey(a.created_at), timeKey(b.created_at)];
  if (left !== right) return left < right ? 1 : -1;
  return compareIds(a.id, b.id);
}

/** A time as text that sorts by time, whatever its number of fractional digits. */
export function timeKey(time: string): string {
  return `${time.slice(0, 19)}.${time.slice(20, -1).padEnd(9, "0")}`;
}

/**
 * By code point, which is the order of UTF-8 bytes and therefore of every database's binary
 * collation.
 */
export function compareIds(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
