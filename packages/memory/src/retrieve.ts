/**
 * @module Retrieve: candidates from other threads, summaries and entities, scored against a
 * question, selected under a budget, with the whole decision as evidence (requirements: Memory
 * supply, Retrieved).
 */
import type { MemoryRecord, ScoredRecord } from "@turnproof/store";

import { messageOf } from "./conversation.ts";
import { entityLevels, entityOf } from "./entity-memory.ts";
import { memoryRef } from "./memory-ref.ts";
import { levelOf } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import { select } from "./selection.ts";
import type { Candidate, LedgerLine, SelectionOptions } from "./selection.ts";
import { cosineOf } from "./vector.ts";
import type { WatchedSearch, WatchedStore } from "./watched-store.ts";

/** Bounds of a retrieval; each has a default. */
export interface RetrieveOptions extends Partial<Omit<SelectionOptions, "present">> {
  /** Candidates per kind; default 16. */
  readonly candidatesMax?: number;
}

/** What retrieval found and decided. Texts are content and stay in the process. */
export interface Retrieved {
  readonly selected: readonly Candidate[];
  readonly ledger: readonly LedgerLine[];
  /** True when a better candidate may have been missed; `limits` says why. */
  readonly degraded: boolean;
  /** True when words were compared, or rows in the process, in place of what should have served. */
  readonly fallbackUsed: boolean;
  /** True when a search met its exact bound. */
  readonly bounded: boolean;
  /** Codes of what limited the search, e.g. `memory_search_bounded`. */
  readonly limits: readonly string[];
  readonly foreignRows: number;
}

const defaults = { relevanceMin: 0.15, itemsMax: 6, charsMax: 4_000, relevanceWeight: 0.7 };
const otherThreads: readonly Level[] = ["agentId", "memoryId"];

/** Where candidates come from, at which level, and how a row becomes one. */
const sources = [
  { kind: "conversation", source: "cross_thread", levels: () => otherThreads },
  { kind: "summary", source: "summary", levels: () => otherThreads },
  { kind: "entity", source: "entity", levels: entityLevels },
] as const;

/** Retrieves for a question; `present` are texts that the context has already. */
export async function retrieve(
  store: WatchedStore,
  place: MemoryPlace,
  query: {
    readonly text: string;
    readonly present: readonly string[];
    readonly signal?: AbortSignal;
  },
  options: RetrieveOptions = {},
): Promise<Retrieved> {
  const [embedding] = (await store.embed([query.text], query.signal)) ?? [];
  const limit = options.candidatesMax ?? 16;
  const candidates: Candidate[] = [];
  let foreignRows = 0;
  let bounded = false;
  let fallbackUsed = false;
  const reasons = new Set<string>();
  for (const { kind, source, levels } of sources) {
    const found: WatchedSearch =
      embedding === undefined
        ? await store.sharing(place, levels(place), kind, { text: query.text, limit })
        : await store.nearest(place, levels(place), kind, { embedding, limit });
    foreignRows += found.foreignRows;
    bounded ||= found.bounded;
    fallbackUsed ||= found.fallbackUsed || found.diagnostics.length > 0;
    for (const reason of found.limits) reasons.add(reason);
    for (const hit of found.hits) {
      if (isStanding(source, hit, place)) continue;
      candidates.push(candidateOf(source, hit, embedding));
    }
  }
  const limits = [...reasons];
  const degraded = limits.length > 0;
  const { selected, ledger } = select(candidates, {
    ...defaults,
    ...options,
    present: [...query.present, query.text],
  });
  const said = { degraded, fallbackUsed, bounded, limits, foreignRows };
  const retrieved = { selected, ledger, ...said };
  await witnessRetrieval(store, place, retrieved);
  return retrieved;
}

/** Words of this very thread are history; profile, preferences and samples are supplied anyway. */
function isStanding(source: Candidate["source"], hit: ScoredRecord, place: MemoryPlace): boolean {
  if (source === "entity") return entityOf(hit.record).role !== "entity";
  if (source === "summary") return false;
  const here = levelOf(place, "threadId") ?? undefined;
  return hit.record.thread_id === here || !messageOf(hit.record).complete;
}

function candidateOf(
  source: Candidate["source"],
  { record, score }: ScoredRecord,
  query: readonly number[] | undefined,
): Candidate {
  const relevance = query === undefined ? score : Math.max(0, cosineOf(record.embedding, query));
  return {
    id: record.id,
    source,
    text: recalledText(source, record),
    relevance,
    ...(record.embedding === undefined ? {} : { embedding: record.embedding }),
  };
}

/** The text that a row puts into a context. */
export function recalledText(source: Candidate["source"], record: MemoryRecord): string {
  const name = source === "entity" ? `${entityOf(record).name}: ` : "";
  return `${name}${record.text ?? ""}`;
}

/** The row behind a candidate, as it is now; undefined when it is gone. */
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

async function witnessRetrieval(
  store: WatchedStore,
  place: MemoryPlace,
  { ledger, degraded, fallbackUsed, foreignRows, limits }: Retrieved,
): Promise<void> {
  if (place.turn === undefined) return;
  const refOf = (candidate: Candidate): ReturnType<typeof memoryRef> =>
    memoryRef(store.fingerprint, candidate.source, candidate.id);
  await place.turn.retrieved({
    count: ledger.length,
    scores: ledger.map(({ candidate }) => rounded(candidate.relevance)),
    refs: ledger.map(({ candidate }) => refOf(candidate)),
    scopeApplied: (place.userId ?? null) === null ? "anonymous" : "user",
    foreignRows,
    degraded,
    fallbackUsed,
    ...(limits[0] === undefined ? {} : { degradedReason: limits[0] }),
  });
  await place.turn.selected(
    ledger.map(({ candidate, rank, selected, reason }) => ({
      resource: refOf(candidate),
      candidateRank: rank,
      relevanceScore: rounded(candidate.relevance),
      selected,
      selectionReason: reason,
    })),
  );
}

function rounded(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}
