/** @module MemoryAdmin: administrative operations of a memory provider, over all tenants. */
import type { IdentityOptions, ScopedKind, TenantFilter, UserId } from "@turnproof/semconv";

import type { Unreached } from "./erasure.ts";
import type { MemoryRecord } from "./memory-store.ts";

/** Means "every tenant", explicitly. */
export const unscoped: unique symbol = Symbol("unscoped");

/** Three-state administrative filter: all tenants, anonymous rows, or one tenant. */
export type AdminFilter = typeof unscoped | TenantFilter;

/** A memory whose anonymous rows move, and the user who receives them. */
export interface LegacyScope extends Pick<IdentityOptions, "memoryId"> {
  readonly userId: UserId;
}

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
  deleteTenant(filter: TenantFilter, kind: ScopedKind): Promise<number>;
  /**
   * Changes rows of one tenant in one kind, expired ones included; returns how many still had the
   * given version. `unscoped` is not accepted.
   */
  rewrite(filter: TenantFilter, kind: ScopedKind, changes: readonly RowChange[]): Promise<number>;
  /** Removes the bytes of deleted rows from the data files; returns where they may remain. */
  purge(): Promise<readonly Unreached[]>;
  /**
   * Moves the anonymous entity rows of one memory to a user and returns how many moved: under the
   * write lock on a filesystem, as one update in a database.
   */
  migrateLegacyEntities(options: LegacyScope): Promise<number>;
}
