/** @module Administrative memory, for operator commands only; request handlers never import it. */
export { deleteUser } from "./delete-user.ts";
export type { DeletedKind, DeleteUserOptions, DeletionReport } from "@turnproof/store/admin";
export { migrateLegacyScope } from "./migrate-legacy-scope.ts";
export type { AdministeredStore, LegacyScope } from "./migrate-legacy-scope.ts";
