/**
 * @module Unscoped administrative access (requirements: Scope hierarchy 4): for migration, audit,
 * retention and maintenance, never for request handlers. A separate subpath and type, so that a
 * missing argument can never widen a read.
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

/** Means "every tenant", explicitly. */
export const unscoped: unique symbol = Symbol("unscoped");

/** Three-state administrative filter: all tenants, anonymous rows, or one tenant. */
export type AdminFilter = typeof unscoped | { readonly tenant: string | null };

/**
 * Change of a row that still has this version: new content, or deletion where there is no record.
 */
export interface RowChange {
  readonly id: string;
  readonly version: number;
  readonly record?: MemoryRecord;
}

/** Administrative operations of a memory provider. */
export interface MemoryAdmin {
  /** Rows in a stable order, streamed; memory stays bounded. */
  rows(filter: AdminFilter, kind: ScopedKind): AsyncIterable<MemoryRecord>;
  count(filter: AdminFilter, kind: ScopedKind): Promise<number>;
  /** Deletes every row of one tenant in one kind; returns how many. `unscoped` is not accepted. */
  deleteTenant(filter: { readonly tenant: string | null }, kind: ScopedKind): Promise<number>;
  /**
   * Changes rows of one tenant in one kind, expired ones included; returns how many still had the
   * given version. `unscoped` is not accepted.
   */
  rewrite(
    filter: { readonly tenant: string | null },
    kind: ScopedKind,
    changes: readonly RowChange[],
  ): Promise<number>;
  /** Removes the bytes of deleted rows from the data files; returns where they may remain. */
  purge(): Promise<readonly Unreached[]>;
  /**
   * Moves the anonymous entity rows of one memory to a user and returns how many moved: under the
   * write lock on a filesystem, as one update in a database.
   */
  migrateLegacyEntities(options: {
    readonly memoryId: string;
    readonly userId: string;
  }): Promise<number>;
}

/** Bounds and callbacks of copying old events. A dry run (the default) only counts. */
export interface CopyOptions {
  readonly dryRun?: boolean;
  /** Ends the run between two steps; the next run continues. */
  readonly signal?: AbortSignal;
  /** Called with the number of events done and of all events. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** Result of copying old events. */
export interface CopyReport {
  readonly dry_run: boolean;
  /** Events of an older version that still exist, and how many of them are copied. */
  readonly events: number;
  readonly copied: number;
  /** False when the run ended early: run it again. */
  readonly complete: boolean;
}

/** Result of comparing old events with their copy. */
export interface ParityReport {
  /** Events of an older version. */
  readonly events: number;
  /** Those that are not in the copy, and their roots (100,000 at most). */
  readonly missing: number;
  readonly roots: number;
  /**
   * Those of roots that lost rows to retention or a deletion since the copy; they are not
   * compared.
   */
  readonly deleted: number;
  /** False when the run ended early. */
  readonly complete: boolean;
}

/** Administrative operations of an evidence provider. */
export interface EvidenceAdmin extends Pick<Retention, "evidence">, AsyncDisposable {
  /** Copies the events of an older version; the originals remain until they are dropped. */
  copyOld(options?: CopyOptions): Promise<CopyReport>;
  /** Compares those events with the copy; changes nothing. */
  checkOld(options?: Omit<CopyOptions, "dryRun">): Promise<ParityReport>;
  /**
   * Compares, then drops the events of an older version.
   * @throws CodedError `migration_pending` until they are copied, `migration_differs` where an
   * event is not in the copy
   */
  dropOld(): Promise<void>;
  close(): Promise<void>;
}
