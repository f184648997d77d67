/**
 * @module Cursor seal: seals the text of a cursor (security: Keys). Evidence defines the payload
 * and its binding; this module makes it opaque and authentic. Every invalid cursor gets the same
 * error.
 */
import { CodedError } from "@turnproof/semconv";

import type { Keyring } from "./keyring.ts";
import { seal, unseal } from "./seal.ts";
import type { SealContext } from "./seal.ts";

/** Where a cursor was issued; it is valid nowhere else. */
export interface CursorOrigin {
  readonly deployment: string;
  readonly route: string;
}

/** Seals the text of a cursor. */
export function sealCursor(keyring: Keyring, origin: CursorOrigin, payload: string): string {
  return seal(keyring, contextOf(origin), payload);
}

/**
 * Opens a cursor.
 *
 * @throws CodedError `cursor_rejected` for every kind of invalid cursor
 */
export function openCursor(keyring: Keyring, origin: CursorOrigin, cursor: string): string {
  const payload = unseal(keyring, contextOf(origin), cursor);
  if (payload === undefined) throw new CodedError("cursor_rejected");
  return payload;
}

function contextOf({ deployment, route }: CursorOrigin): SealContext {
  return { purpose: "cursor/v1", valid: [deployment, route] };
}
