/**
 * @module WatchedStore: this package's only access to a store. Scopes every read, checks the scope
 * of every row that comes back, and records both. A row of another scope never passes, whatever a
 * provider returns.
 */
import type { MemoryOperation, MemoryOperationOptions } from "@turnproof/instrumentation";
import { attribute, increasingClock, memoryCollections } from "@turnproof/semconv";
import type { Clock, ScopedKind } from "@turnproof/semconv";
import { contentFingerprint } from "@turnproof/semconv/fingerprint";
import type {
  MemoryDraft,
  MemoryFilter,
  MemoryRecord,
  MemoryStore,
  SearchResult,
} from "@turnproof/store";

import { embedAll, embedderName, lexicalEmbedder } from "./embedder.ts";
import type { Embedder } from "./embedder.ts";
import type { Fingerprint } from "./memory-ref.ts";
import { filterOf, scopeWord } from "./place.ts";
import type { Level, MemoryPlace } from "./place.ts";

/** What a read did: the scope it applied and the rows that came back. Content-free. */
export interface ScopeProof {
  readonly kind: ScopedKind;
  readonly operation: "get" | "list" | "vector_search" | "text_search";
  readonly scope_applied: "user" | "anonymous";
  readonly rows: number;
  /** Rows of another scope that a provider returned and this class refused. Always 0. */
  readonly foreign_rows: number;
  /** Codes of what limited a search; empty for a read that cannot be limited. */
  readonly limits: readonly string[];
}

/** Options of every unit of memory. */
export interface MemoryOptions {
  /** Default: {@link lexicalEmbedder}. */
  readonly embedder?: Embedder;
  readonly clock?: Clock;
  /** Hash of row ids in evidence; use a keyed one where ids can be guessed. Default SHA-256. */
  readonly fingerprint?: Fingerprint;
  /** Called for every read, inside a turn or not. */
  readonly onRead?: (proof: ScopeProof) => void;
}

/** A search and how it was served. */
export interface WatchedSearch extends SearchResult {
  readonly foreignRows: number;
  /** True when words were compared because there was no usable embedding. */
  readonly fallbackUsed: boolean;
  /** Codes of what limited the search, most important first; empty when nothing did. */
  readonly limits: readonly string[];
}

/** True when a row matches the filter: same tenant, null equal to null only. */
function isInside(row: MemoryRecord, filter: MemoryFilter): boolean {
  return (
    (row.user_id ?? null) === filter.tenant &&
    (filter.agentId === undefined || (row.agent_id ?? null) === filter.agentId) &&
    (filter.memoryId === undefined || (row.memory_id ?? null) === filter.memoryId) &&
    (filter.threadId === undefined || (row.thread_id ?? null) === filter.threadId)
  );
}

/** A memory store that scopes, checks and records every access. */
export class WatchedStore {
  readonly store: MemoryStore;
  readonly embedder: Embedder;
  readonly now: Clock;
  readonly fingerprint: Fingerprint;
  readonly #onRead: ((proof: ScopeProof) => void) | undefined;

  constructor(store: MemoryStore, options: MemoryOptions = {}) {
    this.store = store;
    this.embedder = options.embedder ?? lexicalEmbedder();
    this.now = options.clock ?? increasingClock();
    this.fingerprint = options.fingerprint ?? contentFingerprint;
    this.#onRead = options.onRead;
  }

  /** One row, or undefined. */
  async get(
    place: MemoryPlace,
    levels: readonly Level[],
    kind: ScopedKind,
    id: string,
  ): Promise<MemoryRecord | undefined> {
    const filter = filterOf(place, levels);
    const [row] = await this.#read(place, filter, kind, "get", async () => {
      const found = await this.store.get(filter, kind, id);
      return found === undefined ? [] : [found];
    });
    return row;
  }

  /** The newest rows, newest first, at most `limit`; `exact` as in {@link filterOf}. */
  async list(
    place: MemoryPlace,
    levels: readonly Level[],
    kind: ScopedKind,
    limit: number,
    exact: readonly Level[] = [],
  ): Promise<readonly MemoryRecord[]> {
    const filter = filterOf(place, levels, exact);
    return this.#read(place, filter, kind, "list", async () => {
      const page = await this.store.list(filter, kind, { limit });
      return page.records;
    });
  }

  /** Rows nearest to a vector; rows that another embedder made are left out. */
  async nearest(
    place: MemoryPlace,
    levels: readonly Level[],
    kind: ScopedKind,
    query: { readonly embedding: readonly number[]; readonly limit: number },
  ): Promise<WatchedSearch> {
    const filter = filterOf(place, levels);
    const model = embedderName(this.embedder);
    const isOwn = (row: MemoryRecord): boolean => row.data["embedding_model"] === model;
    const search = (): Promise<SearchResult> => this.store.vectorSearch(filter, kind, query);
    const { result, rows, limits } = await this.#search(place, filter, kind, {
      operation: "vector_search",
      search,
      limitsOf: async (found) => {
        // Vectors of another length are not compared, so without a match the newest rows
        // show whether another embedder wrote here.
        const seen =
          found.hits.length > 0
            ? found.hits.map(({ record }) => record)
            : (await this.store.list(filter, kind, { limit: query.limit })).records;
        const other = seen.some((row) => row.embedding !== undefined && !isOwn(row));
        return [...searchLimits(found), ...(other ? ["embedding_model_other"] : [])];
      },
    });
    return searched(result, new Set(rows.filter(isOwn)), rows.length, { limits, words: false });
  }

  /** Rows that share words with a text; `fallback`: because the question has no vector. */
  async sharing(
    place: MemoryPlace,
    levels: readonly Level[],
    kind: ScopedKind,
    query: { readonly text: string; readonly limit: number; readonly fallback: boolean },
  ): Promise<WatchedSearch> {
    const filter = filterOf(place, levels);
    const { text, limit, fallback } = query;
    const search = (): Promise<SearchResult> =>
      this.store.textSearch(filter, kind, { text, limit });
    const { result, rows, limits } = await this.#search(place, filter, kind, {
      operation: "text_search",
      search,
      limitsOf: async (found) => [...(fallback ? ["embedder_failed"] : []), ...searchLimits(found)],
    });
    return searched(result, new Set(rows), rows.length, { limits, words: fallback });
  }

  /** Writes a row inside the place. */
  async put(
    place: MemoryPlace,
    levels: readonly Level[],
    kind: ScopedKind,
    draft: MemoryDraft,
  ): Promise<MemoryRecord> {
    const filter = filterOf(place, levels);
    return this.#watch(place, filter, kind, "upsert_memory", async (operation) => {
      const row = await this.store.put(filter, kind, draft);
      await operation?.succeed(1);
      return row;
    });
  }

  /** Deletes a row inside the place. */
  async delete(
    place: MemoryPlace,
    levels: readonly Level[],
    kind: ScopedKind,
    id: string,
  ): Promise<boolean> {
    const filter = filterOf(place, levels);
    return this.#watch(place, filter, kind, "delete_memory", async (operation) => {
      const deleted = await this.store.delete(filter, kind, id);
      await operation?.succeed(deleted ? 1 : 0);
      return deleted;
    });
  }

  /**
   * Vectors of texts; undefined where the embedder failed: a row is stored without its vector
   * rather than not at all.
   */
  async embed(
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly (readonly number[])[] | undefined> {
    try {
      return await embedAll(this.embedder, texts, signal);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      return undefined;
    }
  }

  /** `embedding_model` of a row's data, where it has a vector. */
  get embeddingModel(): string {
    return embedderName(this.embedder);
  }

  /** True when the embedder compares spelling alone. */
  get lexical(): boolean {
    return "lexical" in this.embedder && this.embedder.lexical === true;
  }

  async #search(
    place: MemoryPlace,
    filter: MemoryFilter,
    kind: ScopedKind,
    how: {
      readonly operation: ScopeProof["operation"];
      readonly search: () => Promise<SearchResult>;
      readonly limitsOf: (found: SearchResult) => Promise<readonly string[]>;
    },
  ): Promise<{
    readonly result: SearchResult;
    readonly rows: readonly MemoryRecord[];
    readonly limits: readonly string[];
  }> {
    let result: SearchResult = { hits: [], method: "exact", bounded: false, diagnostics: [] };
    let limits: readonly string[] = [];
    const rows = await this.#read(
      place,
      filter,
      kind,
      how.operation,
      async () => {
        result = await how.search();
        limits = await how.limitsOf(result);
        return result.hits.map((hit) => hit.record);
      },
      () => limits,
    );
    return { result, rows, limits };
  }

  async #read(
    place: MemoryPlace,
    filter: MemoryFilter,
    kind: ScopedKind,
    operation: ScopeProof["operation"],
    read: () => Promise<readonly MemoryRecord[]>,
    limitsOf: () => readonly string[] = () => [],
  ): Promise<readonly MemoryRecord[]> {
    return this.#watch(place, filter, kind, "search_memory", async (watched) => {
      const rows = await read();
      const own = rows.filter((row) => isInside(row, filter));
      const foreign = rows.length - own.length;
      const scope = scopeWord(filter);
      const limits = limitsOf();
      this.#onRead?.({
        kind,
        operation,
        scope_applied: scope,
        rows: own.length,
        foreign_rows: foreign,
        limits,
      });
      await watched?.step.end(foreign === 0 ? "success" : "error", {
        [attribute.record_count.span]: own.length,
        [attribute.foreign_rows.span]: foreign,
        ...(limits.length === 0
          ? {}
          : {
              [attribute.memory_degraded.span]: true,
              [attribute.fallback_reason.span]: limits[0],
            }),
      });
      return own;
    });
  }

  async #watch<T>(
    place: MemoryPlace,
    filter: MemoryFilter,
    kind: ScopedKind,
    operation: MemoryOperationOptions["operation"],
    work: (operation: MemoryOperation | undefined) => Promise<T>,
  ): Promise<T> {
    if (place.turn === undefined) return work(undefined);
    return place.turn.memoryOperation(
      { operation, storeId: memoryCollections[kind], scopeApplied: scopeWord(filter) },
      work,
    );
  }
}

/** Why a search may have missed rows, causes before effects. */
function searchLimits({ diagnostics, bounded }: SearchResult): readonly string[] {
  return [...diagnostics, ...(bounded ? ["memory_search_bounded"] : [])];
}

function searched(
  found: SearchResult,
  kept: ReadonlySet<MemoryRecord>,
  inside: number,
  how: { readonly limits: readonly string[]; readonly words: boolean },
): WatchedSearch {
  return {
    ...found,
    hits: found.hits.filter((hit) => kept.has(hit.record)),
    foreignRows: found.hits.length - inside,
    fallbackUsed: how.words,
    limits: how.limits,
  };
}

/** Wraps a store; returns a store that is wrapped already as it is. */
export function watched(store: MemoryStore | WatchedStore, options?: MemoryOptions): WatchedStore {
  return store instanceof WatchedStore ? store : new WatchedStore(store, options);
}
