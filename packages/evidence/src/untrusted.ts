/**
 * @module Untrusted: evidence, readable or not, of a producer that is not trusted (design 3.8.4).
 * The verdict is worked out without it.
 */
import type { NormalizationError } from "./event.ts";

/** True for a value that says that its producer is not trusted; never throws. */
export function isUntrusted(value: unknown): boolean {
  try {
    return (
      typeof value === "object" &&
      value !== null &&
      "ingest_trusted" in value &&
      value.ingest_trusted === false
    );
  } catch {
    return false;
  }
}

/** The failures that count: whatever an untrusted producer sent makes no window untrusted. */
export function trustedErrors(errors: readonly NormalizationError[]): NormalizationError[] {
  return errors.filter((error) => !isUntrusted(error));
}
