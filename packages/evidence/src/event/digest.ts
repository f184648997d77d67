/**
 * @module Digest: input of the evidence digest (evidence: Statements). Each judged event gives one
 * canonical line that is hashed; the hashes are sorted and hashed again. Hashing is done by the
 * caller, who has crypto. The digest does not depend on the order in which evidence was read.
 */
import { canonicalJson } from "./canonical-json.ts";
import type { TurnEvent } from "./event.ts";

/**
 * The canonical line of every event (RFC 8785), in input order. Fields derived on read, such as
 * `revision`, `contested` and `source_store`, are left out, so that a bundle on disk and a page
 * give the same digest.
 */
export function digestLines(events: readonly TurnEvent[]): string[] {
  return events.map((event) =>
    canonicalJson({ ...event, revision: undefined, contested: undefined, source_store: undefined }),
  );
}

/** The text whose SHA-256 is the digest: the events' own hashes in hex, sorted, one per line. */
export function digestInput(hashes: readonly string[]): string {
  return hashes
    .map((hash) => `${hash.toLowerCase()}\n`)
    .toSorted()
    .join("");
}
