/**
 * @module SqliteError: converts an error of SQLite to one of our codes; its messages may quote
 * values.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { missingTableOf } from "../system-code.ts";
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

/** No space on the disk for shared memory: SQLITE_IOERR_SHMSIZE. */
const noRoomForMemory = 10 | (19 << 8);

/** The coded form of an engine's error; an abort is unchanged. */
export function sqliteError(error: unknown): unknown {
  if (CodedError.is(error)) return error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  if (code === "ERR_INVALID_STATE") return new CodedError("store_closed");
  const primary = primaryCode(error);
  if (primary === undefined) return error;
  if (errcode === noRoomForMemory) return new CodedError("disk_full");
  const table = isMissingTable(error) ? missingTableOf(error) : undefined;
  if (table !== undefined) {
    return new CodedError("store_corrupt", { field: `sqlite ${primary} ${table}` });
  }
  return new CodedError(codes.get(primary) ?? "store_unavailable", { field: `sqlite ${primary}` });
}

/** The engine has no number of its own for it. */
function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("no such table: ");
}

/** Runs work and converts its errors. */
export async function codedSqlite<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw sqliteError(error);
  }
}
