/**
 * @module DeleteUser: deletes everything stored for one user, listed kind by kind (requirements:
 * Scope hierarchy 6). There are no cascades, so this walks the list of scoped kinds itself and
 * counts again afterwards. A dry run by default.
 */
import { CodedError, codeOf, memoryCollections, scopedKinds } from "@turnproof/semconv";
import type { ScopedKind, UserId } from "@turnproof/semconv";

import type { MemoryAdmin } from "./memory-admin.ts";
import type { Unreached } from "./erasure.ts";

/** Rows of the user in one kind. */
export interface DeletedKind {
  readonly kind: ScopedKind;
  readonly collection: string;
  readonly found: number;
  readonly deleted: number;
  /** Rows that remain; null in a dry run, and where it is unknown after a failure. */
  readonly remaining: number | null;
  /** Code of a failure; the other kinds were processed all the same. */
  readonly error?: string;
}

/** The report of a deletion. */
export interface DeletionReport {
  readonly dry_run: boolean;
  /** Every scoped kind, in the order of processing. */
  readonly kinds: readonly DeletedKind[];
  readonly found: number;
  readonly deleted: number;
  /** True when nothing remains and nothing failed; false in a dry run that found rows. */
  readonly complete: boolean;
  /** Where deleted bytes may remain; empty after a dry run. */
  readonly unreached: readonly Unreached[];
}

/** The user; `dryRun` is true unless it is false. */
export interface DeleteUserOptions {
  readonly userId: UserId;
  readonly dryRun?: boolean;
}

/**
 * Deletes a user's rows of every scoped kind, and removes their bytes from the data files as far
 * as the provider can. Evidence is not memory: see `deleteUserEvidence`.
 * @throws CodedError identity_missing (the user must be a text), identity_empty
 */
export async function deleteUser(
  admin: MemoryAdmin,
  options: DeleteUserOptions,
): Promise<DeletionReport> {
  const { userId, dryRun = true } = options;
  if (userId === "") throw new CodedError("identity_empty", { field: "userId" });
  if (typeof userId !== "string") throw new CodedError("identity_missing", { field: "userId" });
  const kinds: DeletedKind[] = [];
  for (const kind of scopedKinds) kinds.push(await deleteKind(admin, kind, userId, dryRun));
  const found = kinds.reduce((sum, row) => sum + row.found, 0);
  // Also when nothing was found: a killed run may have deleted rows and not purged them.
  const unreached = dryRun ? [] : await admin.purge();
  return {
    dry_run: dryRun,
    kinds,
    found,
    deleted: kinds.reduce((sum, row) => sum + row.deleted, 0),
    complete: kinds.every((row) => row.error === undefined && (row.remaining ?? row.found) === 0),
    unreached,
  };
}

async function deleteKind(
  admin: MemoryAdmin,
  kind: ScopedKind,
  tenant: string,
  dryRun: boolean,
): Promise<DeletedKind> {
  const collection = memoryCollections[kind];
  let found = 0;
  let deleted = 0;
  try {
    found = await admin.count({ tenant }, kind);
    if (dryRun) return { kind, collection, found, deleted, remaining: null };
    deleted = await admin.deleteTenant({ tenant }, kind);
    const remaining = await admin.count({ tenant }, kind);
    return { kind, collection, found, deleted, remaining };
  } catch (error) {
    const code = codeOf(error);
    return { kind, collection, found, deleted, remaining: null, error: code };
  }
}
