/**
 * @module Mention: which opaque ids an event names, for the incident finder and for the index that
 * serves it. One list, so that what is found and what is indexed cannot differ.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** Attributes that name something one may look for (design 5.1: find by reference). */
export const mentionedAttributes = [
  "request_id",
  "provenance_request_id",
  "tool_call_id",
  "job_ref",
  "error_code",
  "error_type",
  "record_id",
  "store_id",
  "data_source_id",
  "producing_span_id",
  "client_page_id",
  "canonical_page_id",
  "expected_thread_id",
  "candidate_ref",
] as const;

/** Fields of the event itself that name something one may look for. */
export const mentionedFields = [
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "root_trace_id",
  "task_id",
  "external_id",
  "caused_by_event_id",
] as const;

/** True when the event, its identity resolved, names the id anywhere. */
export function mentions(event: TurnEvent, id: string): boolean {
  for (const field of mentionedFields) if (event[field] === id) return true;
  for (const name of mentionedAttributes) if (event.attributes[name] === id) return true;
  if (event.attributes.grounding_source_ids?.includes(id)) return true;
  return (
    (event.input_refs?.some((item) => item.ref === id) ?? false) ||
    (event.output_refs?.some((item) => item.ref === id) ?? false) ||
    (event.selection_ledger?.some((item) => item.resource.ref === id) ?? false)
  );
}

/** Everything that `mentions` looks at, and the span id, from which a turn or run may be derived. */
export function mentionedIds(event: TurnEvent): string[] {
  const ids = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === "string") ids.add(value);
  };
  for (const field of mentionedFields) add(event[field]);
  for (const name of mentionedAttributes) add(event.attributes[name]);
  for (const id of event.attributes.grounding_source_ids ?? []) add(id);
  for (const item of [...(event.input_refs ?? []), ...(event.output_refs ?? [])]) add(item.ref);
  for (const item of event.selection_ledger ?? []) add(item.resource.ref);
  add(event.span_id);
  return [...ids];
}
