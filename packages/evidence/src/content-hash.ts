/**
 * @module ContentHash: what counts as the content of an event, and a stable 64-bit mark of it.
 * Not for security: it breaks ties between revisions, nothing else (design 3.6). The digest that a
 * statement signs is SHA-256 and made outside of this package.
 */
import { limits } from "@turnproof/semconv";

import { canonicalJson } from "./canonical-json.ts";
import type { TurnEvent } from "./event.ts";

/**
 * Canonical text of what the event says. How it travelled is left out: when it was received, how
 * often it was recorded, from which store it was read and what numbered it. So a retry is the same.
 */
export function contentOf(event: TurnEvent): string {
  return canonicalJson({
    ...event,
    received_at: undefined,
    revision: undefined,
    source_store: undefined,
    producer_id: undefined,
    producer_seq: undefined,
    identity_derived: undefined,
  });
}

/** An id made of others: itself, or a digest of it where it outgrew what an id may be. */
export function composedId(text: string): string {
  return text.length <= limits.stringCharsMax ? text : `derived:${stableHash(text)}`;
}

/** Sixteen hex digits of a text; equal texts give equal digits on every platform. */
export function stableHash(text: string): string {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ ((unit << 5) | (unit >>> 11)), 0xc2b2ae35);
    low ^= high >>> 15;
  }
  high = mix(high ^ text.length);
  low = mix(low ^ high);
  return hex(high) + hex(low);
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x7feb352d);
  mixed ^= mixed >>> 15;
  mixed = Math.imul(mixed, 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, "0");
}
