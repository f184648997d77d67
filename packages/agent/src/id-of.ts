/** @module IdOf: an id as a host passed it, judged the same way wherever a call takes one. */
import { CodedError } from "@turnproof/semconv";

/** Missing, undefined and null are no id; "" is an error, and so is anything but text. */
export function idOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === "") throw new CodedError("identity_empty", { field });
  if (typeof value !== "string") throw new CodedError("record_invalid", { field });
  return value;
}
