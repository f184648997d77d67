/** @module RowsUnread: whether rows of memory are requested that cannot be read. */
import { CodedError } from "@turnproof/semconv";

import type { Reading } from "../access/grants.ts";
import { tenantOf } from "../memory/memory-events.ts";
import type { Parts } from "../parts.ts";

/**
 * True when rows of memory are requested and cannot be read, because they always need a tenant:
 * the page of `all` is then marked as incomplete.
 *
 * @throws CodedError `identity_missing` when only rows were requested; `scope_forbidden` for a
 * principal bound to an application, which rows lack
 */
export function rowsUnread({ memory }: Parts, { scope, query }: Reading): boolean {
  const source = query.store ?? "trace";
  if (memory === undefined || source === "trace") return false;
  if (tenantOf(scope, query) !== undefined) return false;
  if (source === "all") return true;
  const unbound = "operator" in scope && scope.operator.applicationId === undefined;
  throw new CodedError(unbound ? "identity_missing" : "scope_forbidden", { field: "user_id" });
}
