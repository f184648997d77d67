/**
 * @module Evidence copy: all events of one store, page by page, and the contents of two stores per
 * root, for commands that move evidence and compare it.
 */
import { createHash } from "node:crypto";

import { canonicalJson } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { recordStored } from "@turnproof/store";
import type { EvidenceStore, Keyset } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";

/** Events of a page that is stored as one batch. */
const batchRows = 1_000;

/** Every event of a store, newest received first, a page at a time. */
export async function* allEvents(
  store: EvidenceStore,
  pageRows: number = batchRows,
): AsyncGenerator<readonly TurnEvent[]> {
  let after: Keyset | null = null;
  do {
    const position: { after?: Keyset } = after === null ? {} : { after };
    const slice = await store.page(
      collectorScope(),
      { store: "all" },
      { limit: pageRows, ...position },
    );
    yield slice.events;
    after = slice.next;
  } while (after !== null);
}

/**
 * Appends events under an id derived from them, and writes provisional turns of their roots: the
 * same events again are stored once. Events may have been received long ago, where the judge does
 * not look for new roots; the provisional turns bring them to it.
 */
export async function appendAll(
  store: EvidenceStore,
  events: readonly TurnEvent[],
  receivedAt: string,
): Promise<void> {
  const hash = createHash("sha256");
  for (const event of events) hash.update(canonicalJson(event)).update("\n");
  await store.append({ batchId: `copy-${hash.digest("hex")}`, receivedAt, events });
  const roots = new Set(events.flatMap(({ root_trace_id: root }) => root ?? []));
  await recordStored(store, collectorScope(), [...roots]);
}

/**
 * A fingerprint of the fields of an event that two stores must agree on; receipt is not among
 * them.
 */
export function contentHash(event: TurnEvent): string {
  const { received_at: _received, revision: _revision, source_store: _store, ...stated } = event;
  return createHash("sha256").update(canonicalJson(stated)).digest("hex").slice(0, 32);
}
