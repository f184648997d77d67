/**
 * @module StoreError: converts an error of PostgreSQL or its drivers to one of our codes (faults
 * R8). Only a row that violates a type, a constraint or a size is permanent; everything else is
 * retryable, an unknown error included. The server's messages quote values, so they are not passed
 * on.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { fieldOf, missingTableOf, systemCodeOf } from "../system-code.ts";

/** Classes of SQLSTATE, the longest prefix first. */
const classes: readonly (readonly [prefix: string, code: Code])[] = [
  ["57014", "store_busy"], // query_canceled: a timeout of ours
  ["57P", "store_unavailable"], // shutdown, crash, starting up
  ["55P03", "store_busy"], // lock_not_available
  ["22", "store_rejected_row"], // data exceptions
  ["23", "store_rejected_row"], // integrity constraints
  ["54", "store_rejected_row"], // program limits: a row or key that is too large
  ["40", "store_busy"], // serialization failures and deadlocks
  ["42601", "store_refused_statement"], // syntax_error: a server that is too old
  ["42883", "store_refused_statement"], // undefined_function
  ["0A000", "store_refused_statement"], // feature_not_supported
  ["53100", "disk_full"],
  ["XX001", "store_corrupt"], // data_corrupted: a page or a row
  ["XX002", "store_corrupt"], // index_corrupted
  ["53", "store_busy"], // connections, memory or disk used up
];

/** The coded form of a driver's error. */
export function storeError(error: unknown): CodedError {
  if (CodedError.is(error)) return error;
  const state = sqlState(error);
  if (state === undefined) {
    const code = isFullPool(error) ? "store_busy" : unreachable;
    return new CodedError(code, fieldOf("postgres", systemCodeOf(error)));
  }
  const table = state === undefinedTable ? missingTableOf(error) : undefined;
  if (table !== undefined) {
    return new CodedError("store_corrupt", fieldOf("postgres", state, table));
  }
  const known = classes.find(([prefix]) => state.startsWith(prefix));
  return new CodedError(known?.[1] ?? unreachable, { field: `postgres ${state}` });
}

/** A table that was made as the store was opened is gone. */
const undefinedTable = "42P01";

const unreachable = "store_unavailable";

/** Five characters from the server; socket errors have codes of other forms. */
function sqlState(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** The pool reports this only in its message. */
function isFullPool(error: unknown): boolean {
  return (
    error instanceof Error && error.message.includes("timeout exceeded when trying to connect")
  );
}
