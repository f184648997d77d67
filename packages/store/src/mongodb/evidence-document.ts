/**
 * @module EvidenceDocument: an event as a document: the fields that are searched, and the event
 * itself as JSON text. Times and order are text and numbers that every comparison understands.
 */
import { CodedError } from "@turnproof/semconv";
import type { Document } from "mongodb";

import type { EvidenceBatch } from "../evidence-store.ts";
import { mentionedIds } from "../mention.ts";
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

/** Documents of a batch. Their keys are the batch's, so the same batch again is the same documents. */
export function batchDocuments(batch: EvidenceBatch): readonly Document[] {
  return batch.events.map((event, index) => {
    const stored = storedForm(event, batch.receivedAt);
    const micros = epochMicros(stored.received_at);
    if (!Number.isSafeInteger(micros) || micros < 0) throw new CodedError("store_rejected_row");
    return {
      _id: `${batch.batchId}:${String(index).padStart(7, "0")}`,
      batch_id: batch.batchId,
      received_us: micros,
      event_key: nanosKey(clampedNanos(stored.timestamp)),
      root_trace_id: stored.root_trace_id,
      ...searched(stored),
      event: JSON.stringify(stored),
    };
  });
}

function searched(event: StoredEvent): Document {
  return {
    application_id: event.application_id ?? null,
    agent_id: event.agent_id ?? null,
    // Anonymous was said, and is null; nobody having said anything is a third state.
    tenant_said: event.user_id !== undefined,
    user_id: event.user_id ?? null,
    memory_id: event.memory_id ?? null,
    thread_id: event.thread_id ?? null,
    run_id: event.run_id ?? null,
    turn_id: event.turn_id ?? null,
    task_id: event.task_id ?? null,
    span_id: event.span_id ?? null,
    event_kind: event.event_kind,
    status: event.status,
    tool_name: event.attributes.tool_name ?? null,
    source_store: event.source_store ?? "trace",
    mentions: mentionedIds(event),
  };
}

/** The event of a document. */
export function eventOf(document: Document): StoredEvent {
  return JSON.parse(String(document["event"])) as StoredEvent;
}
