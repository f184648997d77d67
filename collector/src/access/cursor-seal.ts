/**
 * @module Cursor seal: seals the text of a cursor (security: Keys). Evidence defines the payload
 * and its binding; this module makes it opaque and authentic. Every invalid cursor gets the same
 * error.
 */
import { CodedError } from "@turnproof/semconv";

import type { Keyring } from "./keyring.ts";
import { seal, unseal } from "./seal.ts";
import type { SealPlace } from "./seal.ts";

/** Where a cursor was issued; it is valid nowhere else. */
export interface CursorPlace {
  readonly deployment: string;
  readonly route: string;
}

/** Seals the text of a cursor. */
export function sealCursor(keyring: Keyring, place: CursorPlace, payload: string): string {
  return seal(keyring, placeOf(place), payload);
}

/**
 * Opens a cursor.
 *
 * @throws CodedError `cursor_rejected` for every kind of invalid cursor
 */
export function openCursor(keyring: Keyring, place: CursorPlace, cursor: string): string {
  const payload = unseal(keyring, placeOf(place), cursor);
  if (payload === undefined) throw new CodedError("cursor_rejected");
  return payload;
}

function placeOf({ deployment, route }: CursorPlace): SealPlace {
  return { purpose: "cursor/v1", valid: [deployment, route] };
}
