/**
 * @module External ids: the deterministic event id of a record that the host names itself
 * (vocabulary: Envelopes).
 */
import { sha256Hex } from "./fingerprint.ts";

const utf8 = new TextEncoder();

type Part = string | null | readonly string[];

/**
 * Event id over (application, agent, user, thread, root, turn, external id, operation, phase): the
 * same when the same record is written again, another for another tenant or turn. Parts are
 * length-prefixed, so ("a", "bc") and ("ab", "c") differ, and null differs from every text.
 */
export function externalEventId(parts: readonly Part[]): string {
  let hashed = "turnproof/external-id/v1";
  for (const part of parts) {
    const text = typeof part === "string" ? part : JSON.stringify(part);
    const tag = typeof part === "string" ? "t" : "s";
    hashed += `${tag}${utf8.encode(text).length}:${text}`;
  }
  return `ext_${sha256Hex(hashed).slice(0, 40)}`;
}
