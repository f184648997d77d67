/**
 * @module SafeName: opaque ids as names of files and folders (faults T8). A name consists of
 * `a-z`, `0-9` and `_`, begins with its form and has at most 120 characters, so no id leaves its
 * folder, is a reserved name, or collides with another by folding of case or Unicode. Long ids are
 * hashed; the id itself is inside the file and is compared on every read.
 */
import { createHash } from "node:crypto";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
const nameCharsMax = 120;

/** Folder of the rows without a tenant; no encoded id has this name. */
export const anonymousName = "anonymous";

/** Name of an id: `u_` and base32 of its UTF-8, or `h_` and its SHA-256 where that is too long. */
export function safeName(id: string): string {
  const bytes = Buffer.from(id, "utf8");
  const plain = `u_${base32(bytes)}`;
  if (plain.length <= nameCharsMax) return plain;
  return `h_${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Name of a tenant's folder. */
export function tenantName(tenant: string | null): string {
  return tenant === null ? anonymousName : safeName(tenant);
}

/** Name of the document of an id. */
export function documentName(id: string): string {
  return `${safeName(id)}.json`;
}

/** True for names of {@link documentName}. */
export function isDocumentName(name: string): boolean {
  return /^(?:u_[a-z2-7]*|h_[0-9a-f]{64})\.json$/.test(name);
}

/** True for names of {@link tenantName}. */
export function isTenantName(name: string): boolean {
  return name === anonymousName || /^(?:u_[a-z2-7]*|h_[0-9a-f]{64})$/.test(name);
}

/** RFC 4648 base32, lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = "";
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31] ?? "";
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + (alphabet[(value << (5 - bits)) & 31] ?? "");
}
