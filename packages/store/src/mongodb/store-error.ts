/**
 * @module StoreError: converts an error of MongoDB or its driver to one of our codes (faults R8).
 * The server's messages quote values, so they are not passed on.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { fieldOf, systemCodeOf } from "../system-code.ts";

/** Error of a unique index. */
export const duplicateKey = 11_000;

/** Codes of the server: documents that can never be stored, and missing permissions. */
const codesByNumber: ReadonlyMap<number, Code> = new Map<number, Code>([
  [2, "store_rejected_row"], // BadValue
  [121, "store_rejected_row"], // DocumentValidationFailure
  [10334, "store_rejected_row"], // BSONObjectTooLarge
  [17280, "store_rejected_row"], // KeyTooLong
  [17419, "store_rejected_row"], // a document that an update made too large
  [duplicateKey, "store_conflict"],
  [13, "store_read_only"], // Unauthorized
  [14031, "disk_full"], // OutOfDiskSpace
  [50, "store_busy"], // MaxTimeMSExpired
  [112, "store_busy"], // WriteConflict
  [146, "store_busy"], // ExceededMemoryLimit
  [262, "store_busy"], // ExceededTimeLimit
]);

/** The server's number of an error, when it has one. */
export function numberOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as { readonly code?: unknown };
  return typeof code === "number" ? code : undefined;
}

/** The coded form of a driver's error; an unknown one is retryable. */
export function storeError(error: unknown): CodedError {
  if (CodedError.is(error)) return error;
  const name = error instanceof Error ? error.name : "";
  if (/^Mongo(ClientClosed|NotConnected|TopologyClosed|PoolClosed)/.test(name)) {
    return new CodedError("store_closed");
  }
  // A document that is too large never leaves the process: the driver's buffer cannot hold it.
  if (name === "RangeError" || /^(BSON|MongoInvalidArgument)/.test(name)) {
    return new CodedError("store_rejected_row");
  }
  const number = numberOf(error);
  const code = number === undefined ? undefined : codesByNumber.get(number);
  const field = fieldOf("mongodb", number === undefined ? systemCodeOf(error) : String(number));
  return new CodedError(code ?? "store_unavailable", field);
}

/** Runs a driver call and converts its errors. */
export async function coded<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw storeError(error);
  }
}
