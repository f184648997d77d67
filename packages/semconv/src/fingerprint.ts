/**
 * @module Fingerprints: keyed digests and pseudonyms (security: Keys). Every digest is over
 * length-prefixed parts with a purpose in front, so that neither ("a","bc") and ("ab","c") nor two
 * purposes give the same digest. The hash is a JavaScript library, not `node:crypto`: WebCrypto is
 * asynchronous, and this also runs in browsers and edge runtimes.
 */
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

import { CodedError } from "./coded-error.ts";
import { limits } from "./limits.ts";

/** One key of a ring; the first signs, all of them verify. */
export interface Key {
  /** Name of the key: 1 to 12 lower-case letters and digits. */
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** Purpose under which every identity is keyed, in applications and collectors alike. */
export const identityPurpose = "identity";

/** Purpose under which inputs of tools are keyed. */
export const callPurpose = "tool-call";

const utf8 = new TextEncoder();
const kidPattern = /^[a-z0-9]{1,12}$/;
const digestBytes = 16;
const base32Alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** 128 bits of a digest as 26 lower-case letters and digits (RFC 4648, no padding). */
function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Alphabet[(held >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + base32Alphabet[(held << (5 - bits)) & 31];
}

/** Per part: four bytes of its length in UTF-8, big-endian, then the UTF-8. */
function lengthPrefixed(parts: readonly string[]): Uint8Array {
  const encoded = parts.map((part) => utf8.encode(part));
  const all = new Uint8Array(encoded.reduce((sum, bytes) => sum + 4 + bytes.length, 0));
  const view = new DataView(all.buffer);
  let at = 0;
  for (const bytes of encoded) {
    view.setUint32(at, bytes.length);
    all.set(bytes, at + 4);
    at += 4 + bytes.length;
  }
  return all;
}

/** HMAC states after the key, by key object, so that a digest hashes the message alone. */
const keyed = new WeakMap<Key, ReturnType<typeof hmac.create>>();

function keyedState(key: Key): ReturnType<typeof hmac.create> {
  let state = keyed.get(key);
  if (state === undefined) keyed.set(key, (state = hmac.create(sha256, key.secret)));
  return state;
}

function mac(key: Key, parts: readonly string[]): string {
  const digest = keyedState(key).clone().update(lengthPrefixed(parts)).digest();
  return `${key.kid}_${base32(digest.subarray(0, digestBytes))}`;
}

/** 128 bits of an unkeyed digest over parts, as 26 letters and digits. */
export function digestOf(parts: readonly string[]): string {
  return base32(sha256(lengthPrefixed(parts)).subarray(0, digestBytes));
}

/**
 * A keyed fingerprint of a value: `<kid>_<26 base32 characters>`, HMAC-SHA256 cut to 128 bits.
 * `purpose` separates domains, e.g. `identity/user_id`. Has the shapes `id` and `fingerprint`.
 */
export function keyedFingerprint(
  value: string,
  options: { readonly key: Key; readonly purpose: string },
): string {
  return mac(options.key, ["fingerprint/v1", options.purpose, value]);
}

/** SHA-256 as 64 lower-case hex digits; a text is hashed as UTF-8. */
export function sha256Hex(value: string | Uint8Array): string {
  return bytesToHex(sha256(typeof value === "string" ? utf8.encode(value) : value));
}

/** An unkeyed fingerprint of content: `sha256:<64 hex digits>`. Short content can be guessed. */
export function contentFingerprint(value: string | Uint8Array): string {
  return `sha256:${sha256Hex(value)}`;
}

/**
 * A stable pseudonym for display and for the audit log (security: Keys):
 * `kid_ + base32(HMAC(key, lp("pseudo/v1") ‖ lp(scope) ‖ lp(kind) ‖ lp(value)))`, 128 bits.
 */
export function pseudonym(
  value: string,
  options: { readonly key: Key; readonly scope: string; readonly kind: string },
): string {
  return mac(options.key, ["pseudo/v1", options.scope, options.kind, value]);
}

/**
 * Reads `kid2:secret,kid1:secret`; a single secret without a name is key `k1`. Secrets are UTF-8
 * of at least 32 bytes. Throws `config_invalid` (never the value) for anything else, and for a
 * name or a secret that occurs twice.
 */
export function parseKeyring(text: string): readonly [Key, ...Key[]] {
  const keys = text.split(",").map((entry): Key => {
    const part = entry.trim();
    const colon = part.indexOf(":");
    const kid = colon === -1 ? "k1" : part.slice(0, colon);
    const secret = utf8.encode(colon === -1 ? part : part.slice(colon + 1));
    if (!kidPattern.test(kid) || secret.length < limits.secretBytesMin) {
      throw new CodedError("config_invalid", { field: "keyring" });
    }
    return { kid, secret };
  });
  const [first, ...rest] = keys;
  const kids = new Set(keys.map((key) => key.kid));
  const secrets = new Set(keys.map((key) => bytesToHex(key.secret)));
  if (first === undefined || kids.size < keys.length || secrets.size < keys.length) {
    throw new CodedError("config_invalid", { field: "keyring" });
  }
  return [first, ...rest];
}

/** A 32-byte key for one purpose: HKDF-SHA256 with the purpose as `info` (security: Keys). */
export function deriveKey(master: Key, purpose: string): Key {
  const secret = hkdf(sha256, master.secret, undefined, utf8.encode(purpose), 32);
  return { kid: master.kid, secret };
}
