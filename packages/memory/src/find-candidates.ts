/**
 * @module FindCandidates: memory rows that are relevant to a question: near in meaning, sharing
 * words, or both fused into one order.
 */
import type { MemoryRecord } from "@turnproof/store";

import { messageOf } from "./conversation.ts";
import { entityLevels, entityOf } from "./entity-memory.ts";
import { fuseRanks, wordShares } from "./fusion.ts";
import { levelOf } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import { byOrder } from "./selection.ts";
import type { Candidate } from "./selection.ts";
import { cosineOf } from "./vector.ts";
import type { WatchedSearch, WatchedStore } from "./watched-store.ts";

/** How candidates are found: by vectors, by shared words, or both. */
export type RetrievalMode = "hybrid" | "vector" | "lexical";

/** The question of a search. */
export interface MemoryQuestion {
  readonly text: string;
  readonly signal?: AbortSignal;
}

/** Candidates, and what limited the search for them. */
export interface CandidateSearch {
  readonly candidates: readonly Candidate[];
  /** True when a better candidate may have been missed; the reasons are in `limits`. */
  readonly degraded: boolean;
  /** True when a fallback was used: words instead of vectors, or a scan in the process. */
  readonly fallbackUsed: boolean;
  /** True when a search reached its scan bound. */
  readonly bounded: boolean;
  /** Codes of what limited the search, e.g. `memory_search_bounded`. */
  readonly limits: readonly string[];
  readonly foreignRows: number;
}

interface Bounds {
  /** Per kind. */
  readonly candidatesMax: number;
  readonly mode: RetrievalMode;
  readonly relevanceMin: number;
}

/** How many rows a search by words reads per candidate; word weights come from these rows. */
const wordRowsPerCandidate = 4;
const otherThreads: readonly Level[] = ["agentId", "memoryId"];

/** Per kind: the level that is searched, and how a row becomes a candidate. */
const sources = [
  { kind: "conversation", source: "cross_thread", levels: () => otherThreads },
  { kind: "summary", source: "summary", levels: () => otherThreads },
  { kind: "entity", source: "entity", levels: entityLevels },
] as const;
type Source = (typeof sources)[number];

/** A row that a search found. */
interface FoundRow {
  readonly source: Candidate["source"];
  readonly record: MemoryRecord;
}

/** Searches every kind that a candidate comes from. */
export async function findCandidates(
  store: WatchedStore,
  place: MemoryPlace,
  { text, signal }: MemoryQuestion,
  bounds: Bounds,
): Promise<CandidateSearch> {
  const { mode } = bounds;
  const [embedding] = mode === "lexical" ? [] : ((await store.embed([text], signal)) ?? []);
  const rows = new Map<string, FoundRow>();
  const limits = new Set<string>();
  const flags = { foreignRows: 0, bounded: false, fallbackUsed: false };
  for (const from of sources) {
    for (const found of await searchKind(store, place, from, { text, embedding, ...bounds })) {
      flags.foreignRows += found.foreignRows;
      flags.bounded ||= found.bounded;
      flags.fallbackUsed ||= found.fallbackUsed || found.diagnostics.length > 0;
      for (const limiting of found.limits) limits.add(limiting);
      for (const { record } of found.hits) {
        const { source } = from;
        if (!isStanding(source, record, place))
          rows.set(`${source}/${record.id}`, { source, record });
      }
    }
  }
  const candidates = ranked(store, [...rows.values()], { text, embedding, ...bounds });
  return { candidates, ...flags, degraded: limits.size > 0, limits: [...limits] };
}

interface Requested extends Bounds {
  readonly text: string;
  /** Undefined: only words are compared. */
  readonly embedding: readonly number[] | undefined;
}

async function searchKind(
  store: WatchedStore,
  place: MemoryPlace,
  { kind, levels }: Source,
  { text, embedding, mode, candidatesMax }: Requested,
): Promise<readonly WatchedSearch[]> {
  const at = levels(place);
  const found: WatchedSearch[] = [];
  if (embedding !== undefined) {
    found.push(await store.nearest(place, at, kind, { embedding, limit: candidatesMax }));
  }
  if (mode !== "vector" || embedding === undefined) {
    const limit = candidatesMax * wordRowsPerCandidate;
    const fallback = mode !== "lexical" && embedding === undefined;
    found.push(await store.sharing(place, at, kind, { text, limit, fallback }));
  }
  return found;
}

/**
 * Words of this thread are history already; profile, preferences and samples are always supplied.
 */
function isStanding(
  source: Candidate["source"],
  record: MemoryRecord,
  place: MemoryPlace,
): boolean {
  if (source === "entity") return entityOf(record).role !== "entity";
  if (source === "summary") return false;
  const here = levelOf(place, "threadId") ?? undefined;
  return record.thread_id === here || !messageOf(record).complete;
}

/**
 * The best candidates of each source, with relevance and order. A search counts only rows that it
 * finds relevant: a row that shares nothing but "the" receives no rank.
 */
function ranked(
  store: WatchedStore,
  rows: readonly FoundRow[],
  { text, embedding, mode, relevanceMin, candidatesMax }: Requested,
): readonly Candidate[] {
  const texts = rows.map(({ source, record }) => recalledText(source, record));
  const vectors = rows.map(({ record }) => ownVector(store, record));
  const searches: (readonly number[])[] = [];
  if (embedding !== undefined) {
    searches.push(vectors.map((vector) => Math.max(0, cosineOf(vector, embedding))));
  }
  if (mode !== "vector" || embedding === undefined) searches.push(wordShares(text, texts));
  const counted = searches.map((found) =>
    found.map((relevance) => (relevance < relevanceMin ? undefined : relevance)),
  );
  const order = fuseRanks(counted);
  const candidates = rows.map(({ source, record }, at): Candidate => {
    const [vector, relevances] = [vectors[at], searches.map((found) => found[at] ?? 0)];
    return {
      id: record.id,
      source,
      createdAt: record.created_at,
      text: texts[at] ?? "",
      relevance: Math.max(0, ...relevances),
      // With one search its scores order the rows; ranks would lose the distance between them.
      ...(searches.length === 1 ? {} : { order: order[at] ?? 0 }),
      ...(vector === undefined ? {} : { embedding: vector }),
    };
  });
  return sources.flatMap(({ source }) =>
    candidates
      .filter((candidate) => candidate.source === source)
      .toSorted(byOrder)
      .slice(0, candidatesMax),
  );
}

/** The vector of a row if this memory's embedder made it, else undefined. */
function ownVector(store: WatchedStore, record: MemoryRecord): readonly number[] | undefined {
  return record.data["embedding_model"] === store.embeddingModel ? record.embedding : undefined;
}

/** The text that a row adds to a context. */
export function recalledText(source: Candidate["source"], record: MemoryRecord): string {
  const name = source === "entity" ? `${entityOf(record).name}: ` : "";
  return `${name}${record.text ?? ""}`;
}

/** The current row behind a candidate; undefined when it was deleted. */
export function recalledRow(
  store: WatchedStore,
  place: MemoryPlace,
  source: Candidate["source"],
  id: string,
): Promise<MemoryRecord | undefined> {
  const from = sources.find((known) => known.source === source);
  return from === undefined
    ? Promise.resolve(undefined)
    : store.get(place, from.levels(place), from.kind, id);
}
