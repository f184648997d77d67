/**
 * @module Untrusted: evidence, readable or not, of an untrusted producer (vocabulary: From a span
 * to an event 4). The verdict is computed without it.
 */
import type { NormalizationError } from "../event/event.ts";

/** True for a value that is marked as untrusted; never throws. */
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

/** The failures that count: events of an untrusted producer never make a window untrusted. */
export function trustedErrors(errors: readonly NormalizationError[]): NormalizationError[] {
  return errors.filter((error) => !isUntrusted(error));
}
