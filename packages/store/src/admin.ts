/**
 * @module Unscoped administrative access (requirements: Scope hierarchy 4): for migration, audit,
 * retention and maintenance, never for anything that serves a request. Its own subpath and type, so
 * that forgetting an argument can never widen a read.
 */
import type { ScopedKind } from "@turnproof/semconv";

import type { Unreached } from "./erasure.ts";
import type { MemoryRecord } from "./memory-store.ts";
import type { Retention } from "./retention.ts";

export { deleteUserEvidence } from "./erasure.ts";
export type { EraseEvidence, ErasureOptions, ErasureReport, Unreached } from "./erasure.ts";
export { deleteUser } from "./delete-user.ts";
export type { DeletedKind, DeleteUserOptions, DeletionReport } from "./delete-user.ts";
export { lookAtEvidence } from "./filesystem/evidence-look.ts";
export type { EvidenceLook } from "./filesystem/evidence-look.ts";
export { clickhouseAdmin } from "./clickhouse/clickhouse-admin.ts";
export { defaultRetention } from "./retention.ts";
export type {
  Retention,
  RetentionClass,
  RetentionCount,
  RetentionDays,
  RetentionOptions,
  RetentionPolicy,
  RetentionReport,
  TenantDays,
} from "./retention.ts";

/** Says "every tenant" out loud. */
export const unscoped: unique symbol = Symbol("unscoped");

/** Three-state administrative filter: everybody, anonymous rows, or one tenant. */
export type AdminFilter = typeof unscoped | { readonly tenant: string | null };

/** What becomes of a row that still has this version: another content, or without a record its end. */
export interface RowChange {
  readonly id: string;
  readonly version: number;
  readonly record?: MemoryRecord;
}

/** What a provider offers to operators' commands. */
export interface MemoryAdmin {
  /** Rows in a stable order, streamed; memory stays bounded. */
  rows(filter: AdminFilter, kind: ScopedKind): AsyncIterable<MemoryRecord>;
  count(filter: AdminFilter, kind: ScopedKind): Promise<number>;
  /** Deletes every row of one tenant in one kind; returns how many. Never takes `unscoped`. */
  deleteTenant(filter: { readonly tenant: string | null }, kind: ScopedKind): Promise<number>;
  /**
   * Changes rows of one tenant in one kind, those whose time is over included; returns how many
   * still had the version that was named. Never takes `unscoped`.
   */
  rewrite(
    filter: { readonly tenant: string | null },
    kind: ScopedKind,
    changes: readonly RowChange[],
  ): Promise<number>;
  /** Takes the bytes of deleted rows out of the data files; says where they may still lie. */
  purge(): Promise<readonly Unreached[]>;
  /**
   * Adopts the anonymous entity rows of one memory into a user and returns how many moved: under
   * the write lock on a filesystem, as one update in a database.
   */
  migrateLegacyEntities(options: {
    readonly memoryId: string;
    readonly userId: string;
  }): Promise<number>;
}

/** How a copy of old events is bounded and watched. A dry run (the default) only counts. */
export interface CopyOptions {
  readonly dryRun?: boolean;
  /** Ends the run between two steps; running it again goes on. */
  readonly signal?: AbortSignal;
  /** Called with events done and events in all. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** What a copy of old events found and did. */
export interface CopyReport {
  readonly dry_run: boolean;
  /** Events that an older version wrote and that lie there still, and how many are copied. */
  readonly events: number;
  readonly copied: number;
  /** False when the run was ended early: run it again. */
  readonly complete: boolean;
}

/** What a comparison of old events with their copy found. */
export interface ParityReport {
  /** Events that an older version wrote. */
  readonly events: number;
  /** Those that are not in the copy, and the roots that they are of (100,000 at most). */
  readonly missing: number;
  readonly roots: number;
  /** Those of roots that lost rows to retention or a deletion since; they are not compared. */
  readonly deleted: number;
  /** False when the run was ended early. */
  readonly complete: boolean;
}

/** What a provider of evidence offers to operators' commands. */
export interface EvidenceAdmin extends Pick<Retention, "evidence">, AsyncDisposable {
  /** Copies events that an older version wrote; those lie there until they are dropped. */
  copyOld(options?: CopyOptions): Promise<CopyReport>;
  /** Compares those events with the copy; nothing is changed. */
  checkOld(options?: Omit<CopyOptions, "dryRun">): Promise<ParityReport>;
  /**
   * Compares, then drops what an older version wrote.
   * @throws CodedError `migration_pending` until it is copied, `migration_differs` where an event
   * is not in the copy
   */
  dropOld(): Promise<void>;
  close(): Promise<void>;
}
