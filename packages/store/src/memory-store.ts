/**
 * @module MemoryStore: the port of memory. Two halves: scoped kinds, whose every method takes a
 * tenant first and touches nothing outside of it, and shared kinds, which have none. Memory rows
 * are content; no part of them ever enters an error, a log or evidence.
 */
import type {
  Identity,
  IdentityOptions,
  ScopedKind,
  SharedKind,
  TenantFilter,
} from "@turnproof/semconv";

import type { CheckResult } from "./evidence-store.ts";

/** A value that survives JSON. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/**
 * Levels below the tenant; each given one must be equal, null matches only rows without that
 * level, an absent one does not filter.
 */
export interface MemoryFilter extends TenantFilter {
  readonly agentId?: IdentityOptions["agentId"] | null;
  readonly memoryId?: IdentityOptions["memoryId"] | null;
  readonly threadId?: IdentityOptions["threadId"] | null;
}

/** Input of a write. `id` is opaque and unique within tenant and kind. */
export interface MemoryDraft extends Partial<
  Pick<Identity, "agent_id" | "memory_id" | "thread_id">
> {
  readonly id: string;
  /** Text that the text fallback searches. */
  readonly text?: string;
  readonly embedding?: readonly number[];
  /** Structured payload of the kind. */
  readonly data: { readonly [key: string]: Json };
  /** ISO 8601 UTC; the record's own time. */
  readonly created_at: string;
  /** After this time reads do not return it. */
  readonly expires_at?: string;
}

/** A stored row. `user_id` null: anonymous or legacy. */
export interface MemoryRecord extends MemoryDraft, Pick<Identity, "user_id"> {
  readonly kind: ScopedKind;
  readonly updated_at: string;
  /** Incremented with each write of the row; the condition of {@link MemoryStore.update}. */
  readonly version: number;
}

/** A found row and its similarity in [0, 1], best first. */
export interface ScoredRecord {
  readonly record: MemoryRecord;
  readonly score: number;
}

/** How a search was served. */
export interface SearchResult {
  readonly hits: readonly ScoredRecord[];
  /** `index`: approximate index with a checked top-up; `exact`: bounded exact scan. */
  readonly method: "index" | "exact";
  /** True when the exact scan reached its bound, so that better hits may exist. */
  readonly bounded: boolean;
  /** Content-free diagnostics, e.g. `vector_index_unscoped`, at most one per collection. */
  readonly diagnostics: readonly string[];
}

/** A page of rows, newest `created_at` first, ties by id. */
export interface MemoryPage {
  readonly records: readonly MemoryRecord[];
  readonly next: string | null;
}

/** Paging and bounds of a list. `now` hides expired rows; default: the process's clock. */
export interface ListOptions {
  readonly limit: number;
  readonly after?: string;
  readonly now?: string;
}

/**
 * Scoped kinds. Every read returns rows whose stored `user_id` equals the filter's tenant, null
 * equal to null only, and nothing else (requirements: Scope hierarchy 2, 3). Arguments remain the
 * caller's. Rejects with CodedError: `store_unavailable` (retryable), `record_invalid`,
 * `store_conflict`, `identity_empty`.
 */
export interface MemoryStore extends AsyncDisposable {
  readonly name: string;
  /** Writes a row, replacing one of the same tenant, kind and id. Durable when it resolves. */
  put(filter: MemoryFilter, kind: ScopedKind, draft: MemoryDraft): Promise<MemoryRecord>;
  get(filter: MemoryFilter, kind: ScopedKind, id: string): Promise<MemoryRecord | undefined>;
  list(filter: MemoryFilter, kind: ScopedKind, options: ListOptions): Promise<MemoryPage>;
  count(filter: MemoryFilter, kind: ScopedKind): Promise<number>;
  /** Changes `data`, `text`, `embedding` or `expires_at` if the version is unchanged. */
  update(
    filter: MemoryFilter,
    kind: ScopedKind,
    id: string,
    version: number,
    change: Partial<Pick<MemoryDraft, "text" | "embedding" | "data" | "expires_at">>,
  ): Promise<MemoryRecord>;
  /** True when a row was deleted. */
  delete(filter: MemoryFilter, kind: ScopedKind, id: string): Promise<boolean>;
  /** Rows nearest by cosine, within the filter; recall in a small tenant equals exact search. */
  vectorSearch(
    filter: MemoryFilter,
    kind: ScopedKind,
    query: {
      readonly embedding: readonly number[];
      readonly limit: number;
      readonly minScore?: number;
      readonly now?: string;
    },
  ): Promise<SearchResult>;
  /** Rows whose text shares words with the query; the fallback where there is no embedding. */
  textSearch(
    filter: MemoryFilter,
    kind: ScopedKind,
    query: { readonly text: string; readonly limit: number; readonly now?: string },
  ): Promise<SearchResult>;
  /** Shared kinds: no tenant, by design. */
  readonly shared: SharedStore;
  check(): Promise<CheckResult>;
  close(): Promise<void>;
}

/** A row of a shared kind. */
export interface SharedRecord {
  readonly id: string;
  readonly kind: SharedKind;
  readonly data: { readonly [key: string]: Json };
  readonly text?: string;
  readonly embedding?: readonly number[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly version: number;
}

/** Shared kinds (requirements: Scope hierarchy 5). */
export interface SharedStore {
  put(
    kind: SharedKind,
    draft: Pick<SharedRecord, "id" | "data" | "created_at"> & {
      readonly text?: string;
      readonly embedding?: readonly number[];
    },
  ): Promise<SharedRecord>;
  get(kind: SharedKind, id: string): Promise<SharedRecord | undefined>;
  list(
    kind: SharedKind,
    options: ListOptions,
  ): Promise<{ readonly records: readonly SharedRecord[]; readonly next: string | null }>;
  update(
    kind: SharedKind,
    id: string,
    version: number,
    data: { readonly [key: string]: Json },
  ): Promise<SharedRecord>;
  delete(kind: SharedKind, id: string): Promise<boolean>;
}
