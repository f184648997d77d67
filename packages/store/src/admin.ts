/**
 * @module Unscoped administrative access (requirements: Scope hierarchy 4): for migration, audit,
 * retention and maintenance, never for anything that serves a request. Its own subpath and type, so
 * that forgetting an argument can never widen a read.
 */
import type { ScopedKind } from "@turnproof/semconv";

import type { MemoryRecord } from "./memory-store.ts";

export { clickhouseAdmin } from "./clickhouse/clickhouse-admin.ts";

/** Says "every tenant" out loud. */
export const unscoped: unique symbol = Symbol("unscoped");

/** Three-state administrative filter: everybody, anonymous rows, or one tenant. */
export type AdminFilter = typeof unscoped | { readonly tenant: string | null };

/** What a provider offers to operators' commands. */
export interface MemoryAdmin {
  /** Rows in a stable order, streamed; memory stays bounded. */
  rows(filter: AdminFilter, kind: ScopedKind): AsyncIterable<MemoryRecord>;
  count(filter: AdminFilter, kind: ScopedKind): Promise<number>;
  /** Deletes every row of one tenant in one kind; returns how many. Never takes `unscoped`. */
  deleteTenant(filter: { readonly tenant: string | null }, kind: ScopedKind): Promise<number>;
  /**
   * Adopts the anonymous entity rows of one memory into a user and returns how many moved: under
   * the write lock on a filesystem, as one update in a database.
   */
  migrateLegacyEntities(options: {
    readonly memoryId: string;
    readonly userId: string;
  }): Promise<number>;
}

/** Ages in days after which evidence is not kept (design 5.4): outcomes ≥ metadata ≥ structure. */
export interface RetentionDays {
  /** Verified outcomes and feedback. */
  readonly outcome: number;
  /** Everything else that is evidence. */
  readonly metadata: number;
  /** Plain spans of roots without any evidence. */
  readonly structure: number;
}

/** One thing that retention does or would do: a whole week's part, or the rows of a class. */
export interface RetentionStep {
  readonly step: "drop_week" | "delete_class";
  /** The week's Monday, or the class. */
  readonly subject: string;
  readonly rows: number;
}

/** What a provider of evidence offers to operators' commands. */
export interface EvidenceAdmin extends AsyncDisposable {
  /** What would go at this time (ISO 8601 UTC), without touching it. */
  retentionPlan(days: RetentionDays, now: string): Promise<readonly RetentionStep[]>;
  /** Does one step of a plan. A step that was done already does nothing. */
  applyRetention(step: RetentionStep, days: RetentionDays, now: string): Promise<void>;
  close(): Promise<void>;
}
