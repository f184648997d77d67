/**
 * @module Seal: text that leaves the process and comes back, opaque and authentic:
 * `v1.<kid>.<b64url(nonce‖AES-256-GCM(text))>` (security: Keys).
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

import type { KeyPurpose, Keyring } from "./keyring.ts";

/** What a sealed text is for, and where it is valid. */
export interface SealContext {
  readonly purpose: KeyPurpose;
  readonly valid: readonly string[];
}

const nonceBytes = 12;
const tagBytes = 16;
const form = /^v1\.([A-Za-z0-9_-]{1,16})\.([A-Za-z0-9_-]{40,8000})$/;

/** Seals a text. */
export function seal(keyring: Keyring, context: SealContext, text: string): string {
  const { kid, secret } = keyring.current(context.purpose);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce);
  cipher.setAAD(additionalData(kid, context));
  const body = [cipher.update(text, "utf8"), cipher.final()];
  const sealed = Buffer.concat([nonce, ...body, cipher.getAuthTag()]);
  return `v1.${kid}.${sealed.toString("base64url")}`;
}

/** Opens a sealed text; undefined for every kind of invalid one. */
export function unseal(keyring: Keyring, context: SealContext, sealed: string): string | undefined {
  try {
    const [, kid = "", text = ""] = form.exec(sealed) ?? [];
    const named = keyring.byName(context.purpose, kid);
    const bytes = Buffer.from(text, "base64url");
    // Two spellings of one base64 text would be two sealed texts.
    if (named === undefined || bytes.toString("base64url") !== text) return undefined;
    const decipher = createDecipheriv("aes-256-gcm", named.secret, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(additionalData(kid, context));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const body = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([body, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function additionalData(kid: string, { purpose, valid }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([purpose, kid, ...valid]));
}
