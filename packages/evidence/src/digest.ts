/**
 * @module Digest: what the evidence digest is made of (design 4). Per judged event one canonical
 * line is hashed, the hashes are sorted and hashed again; the hashing itself is done outside, where
 * there is crypto. So the digest does not depend on the order in which evidence was read.
 */
import { canonicalJson } from "./canonical-json.ts";
import type { TurnEvent } from "./event.ts";

/**
 * The canonical line of every event (RFC 8785), in the order of the input. What reading adds, such
 * as `revision` and `source_store`, is left out, so that a bundle on disk and a page give one
 * digest.
 */
export function digestLines(events: readonly TurnEvent[]): string[] {
  return events.map((event) =>
    canonicalJson({ ...event, revision: undefined, source_store: undefined }),
  );
}

/** The text whose SHA-256 is the digest: the events' own hashes in hex, sorted, one per line. */
export function digestInput(hashes: readonly string[]): string {
  return hashes
    .map((hash) => `${hash.toLowerCase()}\n`)
    .toSorted()
    .join("");
}
