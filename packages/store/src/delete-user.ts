/**
 * @module DeleteUser: everything that is stored for one user, listed kind by kind and deleted
 * explicitly (requirements: Scope hierarchy 6). There is no cascade anywhere, so this walks the
 * list of scoped kinds itself and looks again afterwards. A dry run unless told otherwise.
 */
import { CodedError, memoryCollections, scopedKinds } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import type { MemoryAdmin } from "./admin.ts";
import type { Unreached } from "./erasure.ts";

/** What one kind held of the user. */
export interface DeletedKind {
  readonly kind: ScopedKind;
  readonly collection: string;
  readonly found: number;
  readonly deleted: number;
  /** Rows that are still there; null in a dry run, and where a failure left it unknown. */
  readonly remaining: number | null;
  /** Code of a failure; the other kinds were gone through all the same. */
  readonly error?: string;
}

/** The report of a deletion. */
export interface DeletionReport {
  readonly dry_run: boolean;
  /** Every scoped kind there is, in the order in which it was gone through. */
  readonly kinds: readonly DeletedKind[];
  readonly found: number;
  readonly deleted: number;
  /** True when nothing is left and nothing failed; false in a dry run that found rows. */
  readonly complete: boolean;
  /** Where deleted bytes may still lie; nowhere after a dry run. */
  readonly unreached: readonly Unreached[];
}

/** Whose rows; `dryRun` is true unless it is false. */
export interface DeleteUserOptions {
  readonly userId: string;
  readonly dryRun?: boolean;
}

/**
 * Deletes a user's rows of every scoped kind, and takes their bytes out of the data files as far as
 * the provider reaches them. Evidence is not memory: see `deleteUserEvidence`.
 * @throws CodedError identity_missing (a user is a text, never everybody or nobody), identity_empty
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
  // Also where nothing was found: a run that was killed may have deleted and not come so far.
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
    const code = CodedError.is(error) ? error.code : "internal_error";
    return { kind, collection, found, deleted, remaining: null, error: code };
  }
}
