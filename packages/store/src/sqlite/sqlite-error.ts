/** @module SqliteError: an error of SQLite as one of our codes; its messages may quote values. */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { primaryCode } from "./sqlite-database.ts";

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

/** Shared memory that found no room on the disk: SQLITE_IOERR_SHMSIZE. */
const noRoomForMemory = 10 | (19 << 8);

/** The coded form of whatever the engine threw; an abort stays what it is. */
export function sqliteError(error: unknown): unknown {
  if (CodedError.is(error)) return error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === "ERR_INVALID_STATE") return new CodedError("store_closed");
  const primary = primaryCode(error);
  if (primary === undefined) return error;
  if (errcode === noRoomForMemory) return new CodedError("disk_full");
  return new CodedError(codes.get(primary) ?? "store_unavailable", { field: `sqlite ${primary}` });
}

/** Runs work whose errors are codes. */
export async function codedSqlite<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sqliteError(error);
  }
}
