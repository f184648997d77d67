/**
 * @module ContentHash: the content of an event for comparison, and a stable 64-bit hash of it. Not
 * for security: it only breaks ties between revisions (vocabulary: Envelopes). The digest of a
 * signed statement is SHA-256 and made outside of this package.
 */
import { limits } from "@turnproof/semconv";

import { canonicalJson } from "../event/canonical-json.ts";
import type { TurnEvent } from "../event/event.ts";

/**
 * Canonical text of the event. Transport fields are left out: when it was received, how often and
 * in which order it was recorded, from which store it was read and its sequence number. So a retry
 * has equal content.
 */
export function contentOf(event: TurnEvent): string {
  return canonicalJson({
    ...event,
    received_at: undefined,
    revision: undefined,
    contested: undefined,
    source_store: undefined,
    producer_id: undefined,
    producer_seq: undefined,
    identity_derived: undefined,
  });
}

/** An id composed of others; its digest where it is longer than an id may be. */
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
