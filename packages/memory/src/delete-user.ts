/** @module DeleteUser: deletes a user's memory, kind by kind, in any provider. */
import { attribute, knownIdentity } from "@turnproof/semconv";
import { deleteUser as deleteRows } from "@turnproof/store/admin";
import type { DeleteUserOptions, DeletionReport, MemoryAdmin } from "@turnproof/store/admin";

import { adminOf } from "./migrate-legacy-scope.ts";
import type { AdministeredStore } from "./migrate-legacy-scope.ts";

/**
 * Deletes a user's rows of every scoped kind; a dry run by default. For operators only. For a
 * keyed user it deletes the rows under the fingerprint and those under the plain id.
 * @throws CodedError identity_missing, identity_empty, capability_missing
 */
export async function deleteUser(
  provider: AdministeredStore | MemoryAdmin,
  options: DeleteUserOptions,
): Promise<DeletionReport> {
  const admin = adminOf(provider);
  const raw = await deleteRows(admin, options);
  const userId = knownIdentity(attribute.user_id, options.userId);
  return userId === options.userId
    ? raw
    : both(raw, await deleteRows(admin, { ...options, userId }));
}

/** Adds two reports of the same kinds. */
function both(first: DeletionReport, second: DeletionReport): DeletionReport {
  const kinds = first.kinds.map((row, at) => {
    const other = second.kinds[at] ?? row;
    const error = row.error ?? other.error;
    const known = row.remaining !== null && other.remaining !== null;
    return {
      ...row,
      found: row.found + other.found,
      deleted: row.deleted + other.deleted,
      remaining: known ? (row.remaining ?? 0) + (other.remaining ?? 0) : null,
      ...(error === undefined ? {} : { error }),
    };
  });
  return {
    dry_run: first.dry_run,
    kinds,
    found: first.found + second.found,
    deleted: first.deleted + second.deleted,
    complete: first.complete && second.complete,
    unreached: [...new Set([...first.unreached, ...second.unreached])],
  };
}
