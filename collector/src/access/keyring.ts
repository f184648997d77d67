/**
 * @module Keyring: named secrets, of which the first signs and all verify; the keys derived from
 * them per purpose (security: Keys); comparison and sealing with them.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

import { deriveKey } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

/** Purpose of a derived key; a key of one purpose is useless for another. */
export type KeyPurpose = "cookie/v1" | "csrf/v1" | "cursor/v1" | "audit/v1" | "sign-in/v1";

/** Derived keys by purpose. */
export interface Keyring {
  /** The key that signs. */
  current(purpose: KeyPurpose): Key;
  /** The key of that name, or undefined once it was removed. */
  byName(purpose: KeyPurpose, kid: string): Key | undefined;
}

/** A keyring over named masters. */
export function createKeyring(masters: readonly [Key, ...Key[]]): Keyring {
  const derived = new Map<string, Key>();
  const derive = (purpose: KeyPurpose, master: Key): Key => {
    const name = `${purpose} ${master.kid}`;
    const key = derived.get(name) ?? deriveKey(master, purpose);
    derived.set(name, key);
    return key;
  };
  return {
    current: (purpose) => derive(purpose, masters[0]),
    byName: (purpose, kid) => {
      const master = masters.find((key) => key.kid === kid);
      return master === undefined ? undefined : derive(purpose, master);
    },
  };
}

const comparisonKey = randomBytes(32);

/**
 * Compares two texts in a time independent of their difference and length (faults W7): both become
 * digests under a random key.
 */
export function equalSecret(left: string, right: string): boolean {
  const digest = (text: string): Buffer =>
    createHmac("sha256", comparisonKey).update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}

/** HMAC-SHA256 of a text whose first part is its purpose, in base64url. */
export function macOf(key: Key, purpose: string, text: string): string {
  return createHmac("sha256", key.secret).update(`${purpose}\n${text}`).digest("base64url");
}
