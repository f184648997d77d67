/** @module SqliteError: an error of SQLite as one of our codes; its messages may quote values. */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

/** Primary result codes ("Result and Error Codes" of SQLite's documentation). */
const codes: ReadonlyMap<number, Code> = new Map<number, Code>([
  [5, "store_busy"], // SQLITE_BUSY
  [6, "store_busy"], // SQLITE_LOCKED
  [8, "store_read_only"], // SQLITE_READONLY
  [11, "store_corrupt"], // SQLITE_CORRUPT
  [13, "disk_full"], // SQLITE_FULL
  [18, "store_rejected_row"], // SQLITE_TOOBIG
  [19, "store_rejected_row"], // SQLITE_CONSTRAINT
  [26, "store_corrupt"], // SQLITE_NOTADB
]);

/** The coded form of whatever the engine threw; an abort stays what it is. */
export function sqliteError(error: unknown): unknown {
  if (CodedError.is(error)) return error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === "ERR_INVALID_STATE") return new CodedError("store_closed");
  if (code !== "ERR_SQLITE_ERROR" || typeof errcode !== "number") return error;
  const primary = errcode & 0xff;
  return new CodedError(codes.get(primary) ?? "store_unavailable", { field: `sqlite ${primary}` });
}
