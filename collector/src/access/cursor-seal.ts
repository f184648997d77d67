/**
 * @module Cursor seal: `v1.<kid>.<b64url(nonce‖AES-256-GCM(payload))>` (security: Keys). Evidence
 * defines the payload and its binding; this module makes it opaque and authentic. Every invalid
 * cursor gets the same error.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

import { CodedError } from "@turnproof/semconv";

import type { Keyring } from "./keyring.ts";

/** Where a cursor was issued; it is valid nowhere else. */
export interface CursorPlace {
  readonly deployment: string;
  readonly route: string;
}

const nonceBytes = 12;
const tagBytes = 16;
const form = /^v1\.([A-Za-z0-9_-]{1,16})\.([A-Za-z0-9_-]{40,8000})$/;

/** Seals the text of a cursor. */
export function sealCursor(keyring: Keyring, place: CursorPlace, payload: string): string {
  const { kid, secret } = keyring.current("cursor/v1");
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce);
  cipher.setAAD(additionalData(kid, place));
  const body = [cipher.update(payload, "utf8"), cipher.final()];
  const sealed = Buffer.concat([nonce, ...body, cipher.getAuthTag()]);
  return `v1.${kid}.${sealed.toString("base64url")}`;
}

/**
 * Opens a cursor.
 *
 * @throws CodedError `cursor_rejected` for every kind of invalid cursor
 */
export function openCursor(keyring: Keyring, place: CursorPlace, cursor: string): string {
  try {
    const [, kid = "", text = ""] = form.exec(cursor) ?? [];
    const named = keyring.byName("cursor/v1", kid);
    const bytes = Buffer.from(text, "base64url");
    // Two spellings of one base64 text would be two cursors.
    if (named === undefined || bytes.toString("base64url") !== text) throw new RangeError("form");
    const decipher = createDecipheriv("aes-256-gcm", named.secret, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(additionalData(kid, place));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([body, decipher.final()]).toString("utf8");
  } catch {
    throw new CodedError("cursor_rejected");
  }
}

function additionalData(kid: string, { deployment, route }: CursorPlace): Buffer {
  return Buffer.from(JSON.stringify(["cursor/v1", kid, deployment, route]));
}
