/**
 * @module SemanticCache: answers to questions with the same meaning, within one scope and for one
 * kind of request. A hit needs similarity, fingerprint and literals to agree; every decision
 * records its reason (requirements: Events and storage rules).
 */
import { isoTime, limits } from "@turnproof/semconv";
import type { CacheDecision, IdentityOptions } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";
import type { MemoryRecord, MemoryStore } from "@turnproof/store";

import { filterOf, levelOf } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";
import { sourcesOf, hasSameSources } from "./cached-answer-sources.ts";
import { requestFingerprint } from "./request-fingerprint.ts";
import type { CacheRequest } from "./request-fingerprint.ts";
import { cosineOf } from "./vector.ts";
import { watched } from "./watched-store.ts";
import type { MemoryOptions, WatchedStore } from "./watched-store.ts";
import { sameWordsKey } from "./words.ts";

/** How the cache behaves. */
export interface CacheOptions {
  /** Least cosine of a hit; default 0.78. */
  readonly similarityMin?: number;
  /** Seconds until an answer expires; default 3,600. */
  readonly ttlSeconds?: number;
  /** The lowest level that shares answers, always within one user. Default `memory`. */
  readonly level?: "agent" | "memory" | "thread";
}

/** Why a decision was made. Labels, because they are recorded. */
export type CacheReason =
  | "same_request"
  | "nothing_similar"
  | "fingerprint_changed"
  | "literals_differ"
  | "expired"
  | "memory_changed"
  | "no_embedding"
  | "store_failed"
  | "conversation_dependent"
  | "requested"
  | "side_effect"
  | "nondeterministic"
  | "unfinished"
  | "degraded";

/** The cache's decision about one question. */
export interface CacheLookup {
  readonly decision: CacheDecision;
  readonly reason: CacheReason;
  readonly fingerprint: string;
  /** Best cosine found; absent when nothing was compared. */
  readonly similarity?: number;
  /** The answer, on a hit. */
  readonly answer?: string;
  /** Turn that produced the answer. */
  readonly turnId?: IdentityOptions["turnId"];
}

/** What is recorded about an answer that could be cached. */
export interface CacheCandidate {
  readonly answer: string;
  readonly turnId: IdentityOptions["turnId"];
  /** False when a tool ran that may change something. */
  readonly readOnly: boolean;
  /** False when a tool with varying answers ran, or the model's settings allow variation. */
  readonly deterministic: boolean;
  /** False when the answer was cut, empty or aborted. */
  readonly finished: boolean;
  /** True when memory or a tool returned a limited result. */
  readonly degraded: boolean;
  /** True when earlier messages of the thread may have influenced the answer. */
  readonly conversational?: boolean;
}

/** Whether an answer was cached. */
export interface Admission {
  readonly admitted: boolean;
  readonly reason: CacheReason;
}

const levelsOf: { readonly [K in NonNullable<CacheOptions["level"]>]: readonly Level[] } = {
  agent: ["agentId"],
  memory: ["agentId", "memoryId"],
  thread: ["agentId", "memoryId", "threadId"],
};
const candidatesMax = 8;
const openCandidatesMax = 64;
/** Largest accepted clock difference of another writer. */
const skewMsMax = 60_000;
const negations = new Set(["not", "no", "never", "without", "cannot", "nor", "t"]);

/**
 * Literals that must match exactly whatever the similarity: tokens with digits, quoted words,
 * negation. "Order A-1001" and "order A-1002" are near in every embedding and are different
 * questions.
 */
export function literalsOf(text: string): string {
  const digits = text.match(/[\p{L}\p{N}_.:/#@-]*\p{N}[\p{L}\p{N}_.:/#@-]*/gu) ?? [];
  const quoted = text.match(/"[^"]+"|“[^”]+”|«[^»]+»/gu) ?? [];
  const negated = sameWordsKey(text)
    .split(" ")
    .filter((word) => negations.has(word)).length;
  const found = [...digits, ...quoted].map((item) => item.toLowerCase().replace(/[.:]+$/, ""));
  return JSON.stringify([...new Set(found)].toSorted().concat(`negations:${negated % 2}`));
}

/** Semantic cache. */
export class SemanticCache {
  readonly #store: WatchedStore;
  readonly #options: Required<CacheOptions>;

  constructor(
    store: MemoryStore | WatchedStore,
    options: CacheOptions = {},
    memory?: MemoryOptions,
  ) {
    this.#store = watched(store, memory);
    this.#options = {
      similarityMin: options.similarityMin ?? limits.cacheSimilarityDefault,
      ttlSeconds: options.ttlSeconds ?? 3_600,
      level: options.level ?? "memory",
    };
  }

  /** Looks a question up and records the decision. A store failure is a bypass, not an error. */
  async lookup(
    place: MemoryPlace,
    request: CacheRequest,
    options: { readonly bypass?: CacheReason | undefined; readonly signal?: AbortSignal } = {},
  ): Promise<CacheLookup> {
    // An invalid place is a mistake of the host, so it throws instead of becoming a bypass.
    filterOf(place, levelsOf[this.#options.level]);
    const fingerprint = requestFingerprint(request);
    const found =
      options.bypass === undefined
        ? await this.#decide(place, request, fingerprint, options.signal)
        : { decision: "bypassed" as const, reason: options.bypass };
    const lookup: CacheLookup = { ...found, fingerprint };
    await this.#record(place, lookup);
    return lookup;
  }

  /**
   * Stores the answer of a deterministic read-only turn that succeeded; rejects anything else.
   * Records the reason either way.
   */
  async admit(
    place: MemoryPlace,
    request: CacheRequest,
    candidate: CacheCandidate,
  ): Promise<Admission> {
    const fingerprint = requestFingerprint(request);
    const refused = refusalOf(candidate);
    const [embedding] =
      refused === undefined ? ((await this.#store.embed([request.query])) ?? []) : [];
    if (refused !== undefined || embedding === undefined) {
      const reason = refused ?? "no_embedding";
      await this.#record(place, { decision: "rejected", reason, fingerprint });
      return { admitted: false, reason };
    }
    const levels = levelsOf[this.#options.level];
    const now = this.#store.now();
    const key = [filterOf(place, levels), fingerprint, sameWordsKey(request.query)];
    await this.#store.put(place, levels, "semantic_cache", {
      id: `cache_${contentFingerprint(JSON.stringify(key)).slice(7, 47)}`,
      text: request.query,
      embedding,
      created_at: now,
      expires_at: isoTime(Date.parse(now) + this.#options.ttlSeconds * 1_000),
      data: {
        answer: candidate.answer,
        fingerprint,
        literals: literalsOf(request.query),
        ...sourcesOf(this.#store.fingerprint, request, candidate.answer),
        embedding_model: this.#store.embeddingModel,
        turn_id: candidate.turnId,
      },
    });
    return { admitted: true, reason: "same_request" };
  }

  async #decide(
    place: MemoryPlace,
    request: CacheRequest,
    fingerprint: string,
    signal: AbortSignal | undefined,
  ): Promise<Omit<CacheLookup, "fingerprint">> {
    const [embedding] = (await this.#store.embed([request.query], signal)) ?? [];
    if (embedding === undefined) return { decision: "bypassed", reason: "no_embedding" };
    const levels = levelsOf[this.#options.level];
    const rows = await this.#nearest(place, levels, embedding);
    if (rows === undefined) return { decision: "bypassed", reason: "store_failed" };
    const similar = rows
      .map((row) => ({ row, similarity: cosineOf(row.embedding, embedding) }))
      .toSorted((a, b) => b.similarity - a.similarity);
    const [best] = similar;
    const seen = best === undefined ? {} : { similarity: best.similarity };
    let left = similar.filter(({ similarity }) => similarity >= this.#options.similarityMin);
    if (left.length === 0) return { decision: "miss", reason: "nothing_similar", ...seen };
    for (const [reason, holds] of this.#conditions(request, fingerprint)) {
      left = left.filter(({ row }) => holds(row));
      if (left.length === 0) return { decision: "rejected", reason, ...seen };
    }
    const hit = await firstWhere(left, ({ row }) => this.#stands(place, row, request));
    if (hit === undefined) return { decision: "rejected", reason: "memory_changed", ...seen };
    const answer = answerOf(hit.row);
    const turnId = hit.row.data["turn_id"];
    return {
      decision: "hit",
      reason: "same_request",
      similarity: hit.similarity,
      answer,
      ...(typeof turnId === "string" ? { turnId } : {}),
    };
  }

  /**
   * Conditions that a similar row must meet, each with the reason recorded when no row meets it.
   */
  #conditions(
    request: CacheRequest,
    fingerprint: string,
  ): readonly (readonly [CacheReason, (row: MemoryRecord) => boolean])[] {
    const literals = literalsOf(request.query);
    return [
      ["fingerprint_changed", (row) => row.data["fingerprint"] === fingerprint],
      ["literals_differ", (row) => row.data["literals"] === literals && answerOf(row) !== ""],
      ["expired", (row) => this.#isFresh(row)],
    ];
  }

  /** Younger than this cache's own TTL, whatever its writer set, and not from the future. */
  #isFresh(row: MemoryRecord): boolean {
    const age = Date.parse(this.#store.now()) - Date.parse(row.created_at);
    return age < this.#options.ttlSeconds * 1_000 && age > -skewMsMax;
  }

  /** True while the memory behind the answer is unchanged. A store failure counts as changed. */
  async #stands(place: MemoryPlace, row: MemoryRecord, request: CacheRequest): Promise<boolean> {
    const answered = { question: row.text ?? "", answer: answerOf(row), data: row.data };
    // An answer whose basis cannot be read is not served.
    return hasSameSources(this.#store, place, request, answered).catch(() => false);
  }

  async #nearest(
    place: MemoryPlace,
    levels: readonly Level[],
    embedding: readonly number[],
  ): Promise<readonly MemoryRecord[] | undefined> {
    try {
      // A store filter cannot express "without this level", so more rows are read and the rest
      // dropped.
      const open = levels.some((level) => levelOf(place, level) === null);
      const query = { embedding, limit: open ? openCandidatesMax : candidatesMax };
      const { hits } = await this.#store.nearest(place, levels, "semantic_cache", query);
      return hits.map((hit) => hit.record).filter((row) => isOfLevel(row, place, levels));
    } catch {
      return undefined;
    }
  }

  async #record(place: MemoryPlace, lookup: CacheLookup): Promise<void> {
    await place.turn?.cacheDecided({
      decision: lookup.decision,
      reason: lookup.reason,
      fingerprint: lookup.fingerprint,
      ...(lookup.similarity === undefined ? {} : { similarity: lookup.similarity }),
    });
  }
}

/**
 * True for a row stored at exactly this level: levels that the place leaves out, or that the cache
 * does not share by, must be absent from the row.
 */
function isOfLevel(row: MemoryRecord, place: MemoryPlace, levels: readonly Level[]): boolean {
  const own = { agentId: row.agent_id, memoryId: row.memory_id, threadId: row.thread_id };
  return (Object.keys(own) as Level[]).every(
    (level) => (own[level] ?? null) === (levels.includes(level) ? levelOf(place, level) : null),
  );
}

async function firstWhere<T>(
  items: readonly T[],
  holds: (item: T) => Promise<boolean>,
): Promise<T | undefined> {
  for (const item of items) if (await holds(item)) return item;
  return undefined;
}

function answerOf(row: MemoryRecord): string {
  const answer = row.data["answer"];
  return typeof answer === "string" ? answer : "";
}

function refusalOf(candidate: CacheCandidate): CacheReason | undefined {
  if (!candidate.readOnly) return "side_effect";
  if (!candidate.deterministic) return "nondeterministic";
  if (!candidate.finished || candidate.answer === "") return "unfinished";
  if (candidate.degraded) return "degraded";
  return candidate.conversational === true ? "conversation_dependent" : undefined;
}
