/**
 * @module BundleDocument: packed bundles as documents, whose keys are derived from the batch, so
 * that the same batch again gives the same documents.
 */
import type { EvidenceBatch } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { Document } from "mongodb";

import { packBundles, packPaced } from "../bundle/pack.ts";
import type { BundleRow } from "../bundle/pack.ts";
import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";

/** The documents of a batch. @throws CodedError `store_rejected_row` */
export async function bundleDocuments(batch: EvidenceBatch): Promise<Document[]> {
  const { batchId, receivedAt, events } = batch;
  const rows = await packPaced(events.map((event) => storedForm(event, receivedAt)));
  return numbered(batchId, batchId, rows);
}

/** The documents of stored events of one batch, with this key prefix. */
export function documentsOf(
  batchId: string,
  prefix: string,
  events: readonly StoredEvent[],
): Document[] {
  return numbered(batchId, prefix, packBundles(events));
}

function numbered(batchId: string, prefix: string, rows: readonly BundleRow[]): Document[] {
  return rows.map((row, index) => {
    const { first_received: first, last_received: last } = row;
    if (!Number.isSafeInteger(first) || first < 0) throw new CodedError("store_rejected_row");
    return {
      _id: `${prefix}:${String(index).padStart(7, "0")}`,
      batch_id: batchId,
      root_trace_id: row.root_trace_id,
      first_us: first,
      last_us: last,
      own_from: row.own_from,
      own_to: row.own_to,
      events: row.events,
      words: [...row.hashes],
      body: row.segments,
    };
  });
}
