/**
 * @module CachedAnswerSources: which memory rows a cached answer depends on, and whether they are
 * unchanged. A new row that is relevant to the question, or a used row that was deleted or
 * changed, invalidates the answer. A row that merely fell out of the selection does not.
 */
import type { Json } from "@turnproof/store";

import { recalledRow, recalledText } from "./find-candidates.ts";
import type { Fingerprint } from "./memory-ref.ts";
import type { MemoryPlace } from "./place.ts";
import type { CacheRequest, RecalledRow } from "./request-fingerprint.ts";
import type { WatchedStore } from "./watched-store.ts";
import { sameWordsKey } from "./words.ts";

/** A cached answer, its question, and the data that was stored with it. */
interface Answered {
  readonly question: string;
  readonly answer: string;
  readonly data: Readonly<Record<string, Json>>;
}

const sources: readonly string[] = ["cross_thread", "summary", "entity"];

/** Data of a cache row: hashes of all rows that were considered, and the rows that were placed. */
export function sourcesOf(
  fingerprint: Fingerprint,
  { query, recalled }: CacheRequest,
  answer: string,
): { readonly considered: string[]; readonly rests_on: { [field: string]: Json }[] } {
  const isOwn = ownWords(query, answer);
  const hash = (text: string): string => fingerprint(sameWordsKey(text));
  const considered = (recalled?.considered ?? []).map(({ text }) => hash(text));
  return {
    considered: [...new Set(considered)].toSorted(),
    rests_on: (recalled?.selected ?? [])
      .filter(({ text }) => !isOwn(text))
      .map(({ source, id, text }) => ({ source, id, hash: hash(text) })),
  };
}

/** True while no new row is placed for the question and no placed row has changed. */
export async function hasSameSources(
  store: WatchedStore,
  place: MemoryPlace,
  { query, recalled }: CacheRequest,
  { question, answer, data }: Answered,
): Promise<boolean> {
  const isOwn = ownWords(query, question, answer);
  const hash = (text: string): string => store.fingerprint(sameWordsKey(text));
  const known = new Set(Array.isArray(data["considered"]) ? data["considered"] : []);
  const placed = recalled?.selected ?? [];
  if (placed.some(({ text }) => !isOwn(text) && !known.has(hash(text)))) return false;
  const inSight = new Map(recalled?.considered.map((row) => [nameOf(row), row.text]));
  for (const row of rowsOf(data["rests_on"])) {
    const text = inSight.get(nameOf(row)) ?? (await storedText(store, place, row));
    if (text === undefined || hash(text) !== row.hash) return false;
  }
  return true;
}

/** The question and the answer were stored as messages themselves, so they do not count as new. */
function ownWords(...texts: readonly string[]): (text: string) => boolean {
  const own = new Set(texts.map(sameWordsKey));
  return (text) => own.has(sameWordsKey(text));
}

function nameOf({ source, id }: Pick<RecalledRow, "source" | "id">): string {
  return `${source}/${id}`;
}

async function storedText(
  store: WatchedStore,
  place: MemoryPlace,
  { source, id }: Pick<RecalledRow, "source" | "id">,
): Promise<string | undefined> {
  const row = await recalledRow(store, place, source, id);
  return row === undefined ? undefined : recalledText(source, row);
}

/** The rows that a cache row's answer depends on; unreadable data gives none. */
function rowsOf(
  stored: Json | undefined,
): readonly (Pick<RecalledRow, "source" | "id"> & { readonly hash: string })[] {
  if (!Array.isArray(stored)) return [];
  return (stored as readonly Json[]).map((item) => {
    const { source, id, hash } = (item ?? {}) as Readonly<Record<string, Json>>;
    const readable = typeof source === "string" && sources.includes(source);
    return {
      source: readable ? (source as RecalledRow["source"]) : "entity",
      id: typeof id === "string" ? id : "",
      hash: typeof hash === "string" ? hash : "",
    };
  });
}
