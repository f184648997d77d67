/**
 * @module External ids: the deterministic event id of something that a host names itself (design
 * 3.6). Own subpath, because it needs Node's crypto.
 */
import { createHash } from "node:crypto";

type Part = string | null | readonly string[];

/**
 * Event id over (application, agent, user, thread, root, turn, external id, operation, phase): the
 * same for the same thing recorded again, another for another tenant or turn. Parts are length-
 * prefixed, so ("a", "bc") and ("ab", "c") differ, and null differs from every text.
 */
export function externalEventId(parts: readonly Part[]): string {
  const hash = createHash("sha256").update("turnproof/external-id/v1");
  for (const part of parts) {
    const text = typeof part === "string" ? part : JSON.stringify(part);
    const tag = typeof part === "string" ? "t" : "s";
    hash.update(`${tag}${Buffer.byteLength(text)}:${text}`);
  }
  return `ext_${hash.digest("hex").slice(0, 40)}`;
}
