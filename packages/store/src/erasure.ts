/**
 * @module Erasure: finds all evidence of one user by the exact tenant and deletes it
 * (requirements: Scope hierarchy 6). Each provider has one method, reached through its store, so
 * that request handlers never have it. A dry run by default.
 */
import { CodedError } from "@turnproof/semconv";
import type { UserId } from "@turnproof/semconv";

import type { EvidenceStore } from "./evidence-store.ts";

/** Places in which deleted bytes may remain; content-free names, for an operator to act on. */
export type Unreached =
  | "filesystem_open_reads"
  | "legacy_bundles"
  | "mongodb_oplog"
  | "mongodb_free_blocks"
  | "postgres_statistics"
  | "postgres_tables"
  | "postgres_wal"
  | "clickhouse_inactive_parts"
  | "clickhouse_server_logs";

/** The user, and bounds and callbacks of the run. */
export interface ErasureOptions {
  /**
   * The exact text of the tenant; a prefix, another case or another normal form is another user.
   */
  readonly userId: UserId;
  /** True unless it is false: counts, and changes nothing. */
  readonly dryRun?: boolean;
  /** Ends the run between two steps; the next run continues. */
  readonly signal?: AbortSignal;
  /** Called with the number of roots done and of all roots. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Called with each root that has the user, before any of it is deleted. */
  readonly onRoot?: (rootTraceId: string) => void;
}

/** Result of a run. */
export interface ErasureReport {
  readonly dry_run: boolean;
  /** Roots with a row of the user. */
  readonly roots: number;
  /**
   * Rows of the user, including rows of shared roots that cannot be attributed to another user,
   * notes on the user's turns, the tenant's views, and views of others whose filters name the user.
   */
  readonly found: number;
  readonly deleted: number;
  /** Rows of other users under the same roots, which are kept. */
  readonly kept: number;
  /** False when the run ended early, or a root grew meanwhile: run it again. */
  readonly complete: boolean;
  /** Where deleted bytes may remain. */
  readonly unreached: readonly Unreached[];
}

/** Deletes the evidence of one user; the provider's administrative operation. */
export type EraseEvidence = (options: ErasureOptions) => Promise<ErasureReport>;

const offered = new WeakMap<EvidenceStore, EraseEvidence>();

/** Registers how the evidence of this store is erased; called by its provider. */
export function offerErasure(store: EvidenceStore, erase: EraseEvidence): EvidenceStore {
  offered.set(store, erase);
  return store;
}

/**
 * Deletes every row of evidence of one user, and removes the bytes from the data files as far as
 * the provider can. A dry run by default; after a killed run the next one continues.
 * @throws CodedError identity_empty, identity_missing, capability_missing, and the provider's
 */
export async function deleteUserEvidence(
  store: EvidenceStore,
  options: ErasureOptions,
): Promise<ErasureReport> {
  if (options.userId === "") throw new CodedError("identity_empty", { field: "userId" });
  if (typeof options.userId !== "string") {
    throw new CodedError("identity_missing", { field: "userId" });
  }
  const erase = offered.get(store);
  if (erase === undefined) throw new CodedError("capability_missing", { field: "erasure" });
  return erase(options);
}
