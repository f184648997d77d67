/**
 * @module EvidenceDocument: an event as a document: the fields that are searched, and the event
 * itself as JSON text. Times and order are text and numbers that every comparison understands.
 */
import type { EvidenceBatch } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { Document } from "mongodb";

import { searchedFields } from "../searched-fields.ts";
import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";
import { clampedNanos, epochMicros } from "../time.ts";

/** Nanoseconds as text that sorts as they do, negative ones included. */
export function nanosKey(nanos: bigint): string {
  return String(nanos + 2n ** 63n).padStart(20, "0");
}

/** The nanoseconds of a key. */
export function nanosOfKey(key: string): bigint {
  return BigInt(key) - 2n ** 63n;
}

/**
 * Rows of a batch and their documents, whose keys are the batch's, so that the same batch again is
 * the same documents.
 */
export function batchDocuments(batch: EvidenceBatch): {
  readonly rows: readonly StoredEvent[];
  readonly documents: readonly Document[];
} {
  const rows = batch.events.map((event) => storedForm(event, batch.receivedAt));
  const documents = rows.map((stored, index) => {
    const micros = epochMicros(stored.received_at);
    if (!Number.isSafeInteger(micros) || micros < 0) throw new CodedError("store_rejected_row");
    return {
      _id: `${batch.batchId}:${String(index).padStart(7, "0")}`,
      batch_id: batch.batchId,
      received_us: micros,
      event_key: nanosKey(clampedNanos(stored.timestamp)),
      root_trace_id: stored.root_trace_id,
      ...searchedFields(stored),
      event: JSON.stringify(stored),
    };
  });
  return { rows, documents };
}

/** The event of a document. */
export function eventOf(document: Document): StoredEvent {
  return JSON.parse(String(document["event"])) as StoredEvent;
}
