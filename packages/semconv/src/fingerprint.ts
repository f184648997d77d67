/**
 * @module Fingerprints: keyed digests and pseudonyms, the one place of this package that needs
 * Node (faults 5.3, 5.4). Every digest is over length-prefixed parts with a purpose in front, so
 * that neither ("a","bc") and ("ab","c") nor two purposes can meet.
 */
import { createHash, createHmac, hkdfSync } from "node:crypto";

import { CodedError } from "./coded-error.ts";
import { limits } from "./limits.ts";

/** One key of a ring; the first signs, all verify. */
export interface Key {
  /** Name of the key: 1 to 12 lower-case letters and digits. */
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** Purpose under which every identity is keyed, in an application and in a collector alike. */
export const identityPurpose = "identity";

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

/** Four bytes of length, then the UTF-8 of the part. */
function lengthPrefixed(parts: readonly string[]): Buffer {
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const bytes = Buffer.from(part, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    chunks.push(length, bytes);
  }
  return Buffer.concat(chunks);
}

function mac(key: Key, parts: readonly string[]): string {
  const digest = createHmac("sha256", key.secret).update(lengthPrefixed(parts)).digest();
  return `${key.kid}_${base32(digest.subarray(0, digestBytes))}`;
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

/** An unkeyed fingerprint of content: `sha256:<64 hex digits>`. Short content can be guessed. */
export function contentFingerprint(value: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(value).digest("hex")}`;
}

/**
 * A stable pseudonym for display and for the audit log (faults 5.3):
 * `kid_ + base32(HMAC(key, lp("pseudo/v1") ‖ lp(scope) ‖ lp(kind) ‖ lp(value)))`, 128 bits.
 */
export function pseudonym(
  value: string,
  options: { readonly key: Key; readonly scope: string; readonly kind: string },
): string {
  return mac(options.key, ["pseudo/v1", options.scope, options.kind, value]);
}

/**
 * Reads `kid2:secret,kid1:secret`; a lone secret without a name is key `k1`. Secrets are UTF-8 of at
 * least 32 bytes. Throws `config_invalid` (never the value) for anything else, and for a name or a
 * secret that occurs twice.
 */
export function parseKeyring(text: string): readonly [Key, ...Key[]] {
  const keys = text.split(",").map((entry): Key => {
    const part = entry.trim();
    const colon = part.indexOf(":");
    const kid = colon === -1 ? "k1" : part.slice(0, colon);
    const secret = Buffer.from(colon === -1 ? part : part.slice(colon + 1), "utf8");
    if (!kidPattern.test(kid) || secret.length < limits.secretBytesMin) {
      throw new CodedError("config_invalid", { field: "keyring" });
    }
    return { kid, secret };
  });
  const [first, ...rest] = keys;
  const kids = new Set(keys.map((key) => key.kid));
  const secrets = new Set(keys.map((key) => Buffer.from(key.secret).toString("base64")));
  if (first === undefined || kids.size < keys.length || secrets.size < keys.length) {
    throw new CodedError("config_invalid", { field: "keyring" });
  }
  return [first, ...rest];
}

/** A 32-byte key for one purpose: HKDF-SHA256 with the purpose as `info` (faults 5.4). */
export function deriveKey(master: Key, purpose: string): Key {
  const secret = new Uint8Array(hkdfSync("sha256", master.secret, "", purpose, 32));
  return { kid: master.kid, secret };
}
