/**
 * @module Erasure: everything that evidence holds of one user, found by the exact tenant and taken
 * away (requirements: Scope hierarchy 6). One method of each provider, reached through the store
 * that it belongs to, so that what serves requests never holds it. A dry run unless told otherwise.
 */
import { CodedError } from "@turnproof/semconv";

import type { EvidenceStore } from "./evidence-store.ts";

/** What deleted bytes may still lie in; content-free names, for an operator to act on. */
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

/** Whose evidence, and how the run is bounded and watched. */
export interface ErasureOptions {
  /** The exact text of the tenant; a prefix, another case or another normal form is somebody else. */
  readonly userId: string;
  /** True unless it is false: counts, and touches nothing. */
  readonly dryRun?: boolean;
  /** Ends the run between two steps; running it again goes on. */
  readonly signal?: AbortSignal;
  /** Called with roots done and roots in all. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Called with each root that names the user, before anything of it goes. */
  readonly onRoot?: (rootTraceId: string) => void;
}

/** What a run found and did. */
export interface ErasureReport {
  readonly dry_run: boolean;
  /** Roots of which some row says the user. */
  readonly roots: number;
  /** Rows that are the user's, with those of shared roots that nobody else can be told to own. */
  readonly found: number;
  readonly deleted: number;
  /** Rows of other users under the same roots, which stay. */
  readonly kept: number;
  /** False when the run was ended early, or a root grew meanwhile: run it again. */
  readonly complete: boolean;
  /** Where deleted bytes may still lie. */
  readonly unreached: readonly Unreached[];
}

/** Deletes the evidence of one user; what a provider offers to operators' commands. */
export type EraseEvidence = (options: ErasureOptions) => Promise<ErasureReport>;

const offered = new WeakMap<EvidenceStore, EraseEvidence>();

/** Says how the evidence of this store is erased; called by its provider. */
export function offerErasure(store: EvidenceStore, erase: EraseEvidence): EvidenceStore {
  offered.set(store, erase);
  return store;
}

/**
 * Deletes every row of evidence of one user, and takes the bytes out of the data files as far as
 * the provider reaches them. A dry run unless told otherwise; a run that was killed goes on when it
 * is run again.
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
