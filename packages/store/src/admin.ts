/**
 * @module Unscoped administrative access (requirements: Scope hierarchy 4): for migration, audit,
 * retention and maintenance, never for anything that serves a request. Its own subpath and type, so
 * that forgetting an argument can never widen a read.
 */
import type { ScopedKind } from "@turnproof/semconv";

import type { MemoryRecord } from "./memory-store.ts";

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
