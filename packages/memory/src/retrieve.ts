/**
 * @module Retrieve: candidates from other threads, summaries and entities, scored against a
 * question and selected under a budget; records the whole decision (requirements: Memory supply,
 * Retrieved).
 */
import { findCandidates } from "./find-candidates.ts";
import type { CandidateSearch, MemoryQuestion, RetrievalMode } from "./find-candidates.ts";
import { memoryRef } from "./memory-ref.ts";
import type { MemoryPlace } from "./place.ts";
import { select } from "./selection.ts";
import type { Candidate, LedgerLine, SelectionOptions } from "./selection.ts";
import type { WatchedStore } from "./watched-store.ts";

/** Bounds of a retrieval; each has a default. */
export interface RetrieveOptions extends Partial<Omit<SelectionOptions, "present">> {
  /** Candidates per kind; default 16. */
  readonly candidatesMax?: number;
  /** Default `hybrid`; `vector` with the lexical embedder, which compares spelling already. */
  readonly mode?: RetrievalMode;
}

/** What retrieval found and selected. Texts are content and stay in the process. */
export interface Retrieved extends Omit<CandidateSearch, "candidates"> {
  readonly selected: readonly Candidate[];
  readonly ledger: readonly LedgerLine[];
}

const defaults = { relevanceMin: 0.15, itemsMax: 6, charsMax: 4_000, relevanceWeight: 0.7 };

/** Retrieves for a question; `present` are texts that are in the context already. */
export async function retrieve(
  store: WatchedStore,
  place: MemoryPlace,
  question: MemoryQuestion & { readonly present: readonly string[] },
  options: RetrieveOptions = {},
): Promise<Retrieved> {
  const { candidatesMax = 16, mode = store.lexical ? "vector" : "hybrid", ...bounds } = options;
  const present = [...question.present, question.text];
  const selection = { ...defaults, ...bounds, present };
  const { relevanceMin } = selection;
  const how = { candidatesMax, mode, relevanceMin };
  const { candidates, ...stated } = await findCandidates(store, place, question, how);
  const retrieved = { ...select(candidates, selection), ...stated };
  await recordRetrieval(store, place, retrieved);
  return retrieved;
}

async function recordRetrieval(
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
