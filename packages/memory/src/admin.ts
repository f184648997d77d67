/** @module Administrative memory: for operators' commands, never for what serves a request. */
export { deleteUser } from "./delete-user.ts";
export type { DeletedKind, DeletionReport } from "./delete-user.ts";
export { migrateLegacyScope } from "./migrate-legacy-scope.ts";
export type { AdministeredStore, LegacyScope } from "./migrate-legacy-scope.ts";
