/**
 * @module EvidenceStore: the port of evidence. Its contract is in the comments and enforced by
 * `@turnproof/store/testing`; `ephemeral` is the readable reference.
 */
import type {
  EventQuery,
  EvidenceWriter,
  NormalizationError,
  SourceStore,
  TurnEvent,
} from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";

import type { CollectorState } from "./collector-state.ts";
import type { TurnLedger } from "./ledger/turn-query.ts";
import type { OperatorRows } from "./operator-rows.ts";
import type { Capability } from "./providers.ts";
import type { EvidenceScope } from "./scope.ts";

/** Position after which a page continues; opaque outside of the store. The collector seals it. */
export type Keyset = Readonly<Record<string, string | number>>;

/**
 * A slice of resolved, deduplicated, matching events. Membership is by receipt, newest first;
 * within the slice events are sorted by their own time, newest first, where a time after the
 * receipt counts as the receipt (`root`: by their own time, oldest first).
 */
export interface EventSlice {
  readonly events: readonly TurnEvent[];
  /** Where the next slice starts, or null when nothing older matches. */
  readonly next: Keyset | null;
  /** Stored copies of these events, and distinct bundles (turn groups) among them. */
  readonly sourceRows: number;
  readonly bundleCount: number;
  readonly duplicatesRemoved: number;
  readonly errors: readonly NormalizationError[];
  /** True when the scan budget ended the slice before the filter was exhausted. */
  readonly bounded: boolean;
  /** Roots with rows that cannot be decoded, of all tenants: never shown. Counted in `errors`. */
  readonly damagedRoots?: readonly string[] | undefined;
}

/** An original record of the bundles view. */
export interface BundleRecord extends Partial<Identity> {
  readonly record_id: string;
  readonly record_type: string;
  readonly schema_version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly payload: unknown;
}

/** A slice of original records, newest first. */
export interface BundleSlice {
  readonly bundles: readonly BundleRecord[];
  readonly next: Keyset | null;
  readonly sourceRows: number;
  readonly errors: readonly NormalizationError[];
  /** As in a slice of events. */
  readonly damagedRoots?: readonly string[] | undefined;
}

/** Result of `check()`; never thrown. */
export interface CheckResult {
  readonly ok: boolean;
  readonly code?: string;
  /** The engine and its number or name of the failure, such as `postgres 28P01`. */
  readonly reason?: string;
  readonly elapsedMs: number;
  /** Content-free codes of what works but is misconfigured, e.g. `vector_index_unscoped`. */
  readonly diagnostics?: readonly string[];
}

/** Slice arguments; `limit` counts events, `budgetRows` bounds the rows scanned. */
export interface SliceOptions {
  readonly limit: number;
  readonly after?: Keyset;
  /**
   * Leaves out what was received before; microseconds since the epoch. `root` has no such bound.
   */
  readonly receivedFrom?: number;
  readonly budgetRows?: number;
  readonly signal?: AbortSignal;
  /**
   * `page` calls it once, with a read of the roots that the last events of the page are in: what
   * `root` returns of one, without another read; undefined of a root that it has not kept.
   */
  readonly onRoots?: (root: (id: string) => EventSlice | undefined) => void;
}

/**
 * Reads for request handlers. Every method takes the scope first and returns nothing outside of
 * it.
 */
export interface EvidenceReader {
  /**
   * Events matching the query, newest received first, each event once, identity resolved. The
   * position of an event is the first receipt of its shown content: a retry does not move it, a
   * new revision does.
   */
  page(scope: EvidenceScope, query: EventQuery, options: SliceOptions): Promise<EventSlice>;
  /** Original records, newest first. Only store, agent_id, thread_id and user_id filter. */
  bundles(scope: EvidenceScope, query: EventQuery, options: SliceOptions): Promise<BundleSlice>;
  /**
   * Every event of one root in scope, oldest first; `bounded` when `limit` cut it. With
   * `budgetRows` of the first rows in the order of receipt only: what a read of the whole root was
   * at that time.
   */
  root(scope: EvidenceScope, rootTraceId: string, options: SliceOptions): Promise<EventSlice>;
  /**
   * `root` for several ids in one read: the same slices, one per id. When they have more than
   * `budgetRows` rows together the result is empty: read each one alone.
   */
  roots(
    scope: EvidenceScope,
    rootTraceIds: readonly string[],
    options: Omit<SliceOptions, "after">,
  ): Promise<ReadonlyMap<string, EventSlice>>;
  /**
   * Events that contain an opaque id (user, thread, root, run, turn, task, job, source, artifact,
   * tool call, request, error code) in their resolved identity, references or attributes, or as
   * their own event or span id, over the whole history, newest received first.
   */
  find(
    scope: EvidenceScope,
    id: string,
    query: EventQuery,
    options: SliceOptions,
  ): Promise<EventSlice>;
}

/** Counts of a root that need no read of its events. */
export interface RootCounts {
  /** Its stored events; copies in different batches count each. */
  readonly rows: number;
  /** Number of deletions of its rows. */
  readonly epoch: number;
}

/** How much a store holds. */
export interface HeldEvents {
  /** Its events; copies in different batches count each. */
  readonly events: number;
  /** Deletions of rows of a root, summed over all roots: it only rises. */
  readonly deletions: number;
}

/** A part of a table that its engine does not serve, because it is damaged. */
export interface TablePart {
  readonly table: string;
  /** Name of its folder among those that were set aside. */
  readonly part: string;
}

/** A page of the comparison of turns with the events that they rest on. */
export interface ShortRoots {
  /** Roots that seem to have fewer events than a turn of theirs rests on; `standing` decides. */
  readonly roots: readonly string[];
  /** Turns of the page. */
  readonly turns: number;
  /** The next page, or null after the last. */
  readonly next: string | null;
}

/** Result of a read of everything. */
export interface WholeRead {
  /** As in a slice of events; none where rows have no checksum of their own. */
  readonly damagedRoots: readonly string[];
}

/** A provider of evidence. */
export interface EvidenceStore extends EvidenceWriter, EvidenceReader, AsyncDisposable {
  readonly name: string;
  /** Those that the table of providers declares for it. */
  readonly capabilities: readonly Capability[];
  /** Stores whose rows this provider has. */
  readonly sources: readonly SourceStore[];
  /** One settled row for each turn, and all queries over many turns. */
  readonly ledger: TurnLedger;
  /** Notes on turns, and shared views. */
  readonly operatorRows: OperatorRows;
  /** Rows that all collectors of this store share; with the capability `shared`. */
  readonly state?: CollectorState;
  /** Standing of those of these roots that have rows, or had some that were deleted. */
  standing(roots: readonly string[]): Promise<ReadonlyMap<string, RootCounts>>;
  /** Compares turns in scope with their stored events, from the first page (null) on. */
  shortRoots(scope: EvidenceScope, after: string | null, signal?: AbortSignal): Promise<ShortRoots>;
  /** Counts over all tenants. */
  held(signal?: AbortSignal): Promise<HeldEvents>;
  /**
   * Checks each part of the tables against its checksums, sets aside those that fail, and answers
   * with all that are set aside; the rest is served. Only an embedded engine with such parts.
   */
  setAside?(signal?: AbortSignal): Promise<readonly TablePart[]>;
  /**
   * Reads everything that turns rest on; slow. Only where the engine notices damage as it reads.
   *
   * @throws CodedError `store_corrupt` where it does
   */
  readAll?(signal?: AbortSignal): Promise<WholeRead>;
  /** Cheap, repeatable, concurrent-safe; never throws. */
  check(): Promise<CheckResult>;
  /** Roots with new rows since a received time and none since `quietBefore`, for the judge. */
  quietRoots(since: string, quietBefore: string, limit: number): Promise<readonly string[]>;
  close(): Promise<void>;
}
