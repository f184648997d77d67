/** @module List position: where a list of memory rows continues, as opaque text. */
import { CodedError } from "@turnproof/semconv";

import { compareRecords } from "./similarity.ts";

/** Position after a row in the order (`created_at` descending, `id` ascending). */
export interface ListPosition {
  readonly created_at: string;
  readonly id: string;
}

/** Opaque text of a position. */
export function writePosition(position: ListPosition): string {
  return Buffer.from(JSON.stringify([position.created_at, position.id])).toString("base64url");
}

/** @throws CodedError cursor_rejected */
export function readPosition(text: string): ListPosition {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [created, id] = parsed as unknown[];
      if (typeof created === "string" && typeof id === "string") return { created_at: created, id };
    }
  } catch {
    // Handled below like any other invalid position.
  }
  throw new CodedError("cursor_rejected");
}

/** True when the row comes after the position. */
export function isAfter(row: ListPosition, position: ListPosition): boolean {
  return compareRecords(row, position) > 0;
}
