/** @module DeleteUser: a user's memory, deleted kind by kind, from whatever provider holds it. */
import { deleteUser as deleteRows } from "@turnproof/store/admin";
import type { DeleteUserOptions, DeletionReport, MemoryAdmin } from "@turnproof/store/admin";

import { adminOf } from "./migrate-legacy-scope.ts";
import type { AdministeredStore } from "./migrate-legacy-scope.ts";

/**
 * Deletes a user's rows of every scoped kind; a dry run unless told otherwise. For operators only.
 * @throws CodedError identity_missing, identity_empty, capability_missing
 */
export async function deleteUser(
  provider: AdministeredStore | MemoryAdmin,
  options: DeleteUserOptions,
): Promise<DeletionReport> {
  return deleteRows(adminOf(provider), options);
}
