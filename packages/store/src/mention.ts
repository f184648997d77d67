/**
 * @module Mention: the opaque ids in an event, for the incident finder and its index. One list, so
 * that search and index agree.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { eventPhases } from "@turnproof/semconv";

/** Attributes with an id that can be searched (storage: Bundles). */
const mentionedAttributes = [
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

/** Event fields with an id that can be searched. */
const mentionedFields = [
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

/** True when the event, its identity resolved, contains the id or has it as its own. */
export function mentions(event: TurnEvent, id: string): boolean {
  if (event.event_id === id || event.span_id === id) return true;
  for (const field of mentionedFields) if (event[field] === id) return true;
  for (const name of mentionedAttributes) if (event.attributes[name] === id) return true;
  if (event.attributes.grounding_source_ids?.includes(id)) return true;
  return (
    (event.input_refs?.some((item) => item.ref === id) ?? false) ||
    (event.output_refs?.some((item) => item.ref === id) ?? false) ||
    (event.selection_ledger?.some((item) => item.resource?.ref === id) ?? false)
  );
}

/** Calls `add` with every id in the event, except the event's own. */
export function addNamedIds(event: TurnEvent, add: (id: string) => void): void {
  const named = (value: unknown): void => {
    if (typeof value === "string") add(value);
  };
  for (const field of mentionedFields) named(event[field]);
  const { attributes, input_refs: input, output_refs: output, selection_ledger: ledger } = event;
  for (const name of mentionedAttributes) named(attributes[name]);
  if (attributes.grounding_source_ids !== undefined) attributes.grounding_source_ids.forEach(named);
  if (input !== undefined) for (const item of input) named(item.ref);
  if (output !== undefined) for (const item of output) named(item.ref);
  if (ledger !== undefined) for (const item of ledger) named(item.resource?.ref);
}

/**
 * The index words of the event itself: its span, and an id that is not derived from it. A derived
 * one is not indexed beside the span, {@link wordsOfId} splits it instead.
 */
export function ownWords({ event_id, span_id, phase }: TurnEvent): readonly string[] {
  if (span_id === undefined) return [event_id];
  return event_id === `${span_id}:${phase}` ? [span_id] : [span_id, event_id];
}

const ofSpan = new RegExp(`^(.+):(?:${eventPhases.join("|")})$`, "su");

/** Index words for the events that `mentions` matches by this id; any one of them is enough. */
export function wordsOfId(id: string): readonly string[] {
  const span = ofSpan.exec(id)?.[1];
  return span === undefined ? [id] : [id, span];
}
