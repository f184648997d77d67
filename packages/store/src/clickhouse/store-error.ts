/**
 * @module StoreError: converts an engine's error to one of our codes (faults R8). Everything is
 * retryable, schema and table errors included, except a row that violates a constraint or a
 * column's range: an unknown error of a store is never a reason to drop. The engine's messages
 * quote values, so they are not passed on.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { fieldOf, missingTableOf, systemCodeOf } from "../system-code.ts";

/** Engine codes of a row that can never be stored. */
const rejected: ReadonlySet<number> = new Set([
  69, // ARGUMENT_OUT_OF_BOUND
  131, // TOO_LARGE_STRING_SIZE
  321, // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  349, // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  469, // VIOLATED_CONSTRAINT
]);

/** Engine codes of an overloaded store. */
const busy: ReadonlySet<number> = new Set([
  159, // TIMEOUT_EXCEEDED
  202, // TOO_MANY_SIMULTANEOUS_QUERIES
  241, // MEMORY_LIMIT_EXCEEDED
  242, // TABLE_IS_READ_ONLY
  252, // TOO_MANY_PARTS
  285, // TOO_FEW_LIVE_REPLICAS
  319, // UNKNOWN_STATUS_OF_INSERT
]);

/** CANNOT_OPEN_FILE on the lock of a data directory. */
const locked = 76;

/** NOT_ENOUGH_SPACE */
const noSpace = 243;

/** Engine codes of files that are damaged or gone. */
const damaged: ReadonlySet<number> = new Set([
  40, // CHECKSUM_DOESNT_MATCH
  107, // FILE_DOESNT_EXIST
  226, // NO_FILE_IN_DATA_PART
  228, // BAD_SIZE_OF_FILE_IN_DATA_PART
  246, // CORRUPTED_DATA
  271, // CANNOT_DECOMPRESS
  432, // UNKNOWN_CODEC: the codec's name is the first byte of a compressed block
]);

/** UNKNOWN_TABLE: a table that was made as the store was opened is gone. */
const unknownTable = 60;

/** The coded form of a connection's error. */
export function storeError(error: unknown): CodedError {
  if (CodedError.is(error)) return error;
  const engineCode = engineCodeOf(error);
  const table = engineCode === unknownTable ? missingTableOf(error) : undefined;
  if (table !== undefined) {
    return new CodedError("store_corrupt", fieldOf("clickhouse", String(engineCode), table));
  }
  const stated =
    engineCode === undefined ? (systemCodeOf(error) ?? foreignAnswer(error)) : String(engineCode);
  return new CodedError(codeOf(engineCode, error), fieldOf("clickhouse", stated));
}

/** Texts of the client's own failures. */
const clientText = /^(?:Timeout error|The user aborted|socket hang up|Premature close)/;

/**
 * `http` for an answer of another form, as of a proxy: the client throws its body as the text of a
 * plain error, without the status.
 */
function foreignAnswer(error: unknown): "http" | undefined {
  if (!(error instanceof Error) || error.constructor !== Error || "code" in error) return undefined;
  return clientText.test(error.message) ? undefined : "http";
}

/** The engine gives a full disk under many numbers; the system's own is in the text. */
const noSpaceText = /\berrno: 28\b|No space left on device/;

function codeOf(engineCode: number | undefined, error: unknown): Code {
  if (error instanceof Error && noSpaceText.test(error.message)) return "disk_full";
  if (engineCode === undefined) return "store_unavailable";
  if (engineCode === locked) return "store_locked";
  if (engineCode === noSpace) return "disk_full";
  if (damaged.has(engineCode)) return "store_corrupt";
  if (rejected.has(engineCode)) return "store_rejected_row";
  return busy.has(engineCode) ? "store_busy" : "store_unavailable";
}

/** The number of an engine's error: a field of the client's error, or part of its text. */
function engineCodeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  for (const name of ["clickhouseCode", "code"] as const) {
    const code = Number((error as Record<string, unknown>)[name]);
    if (Number.isInteger(code) && code > 0) return code;
  }
  const message = error instanceof Error ? error.message : "";
  const stated = /\bCode: (\d{1,5})\b/.exec(message);
  if (stated !== null) return Number(stated[1]);
  return "cause" in error ? engineCodeOf(error.cause) : undefined;
}
