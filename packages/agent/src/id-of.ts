/** @module IdOf: validates an id from a host, the same way for every call. */
import { CodedError } from "@turnproof/semconv";

/** Missing, undefined and null give undefined; "" and anything but text is an error. */
export function idOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === "") throw new CodedError("identity_empty", { field });
  if (typeof value !== "string") throw new CodedError("record_invalid", { field });
  return value;
}
