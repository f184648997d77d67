/**
 * @module Query: filters on evidence, and the `matches` function that defines their meaning for
 * every store. Filters only narrow; the scope of the reader is a separate argument.
 */
import type { EventKind, EventStatus, Identity } from "@turnproof/semconv";
import { compareTimes } from "@turnproof/semconv";

import type { TurnEvent } from "./event.ts";
import type { SourceStore } from "./event.ts";

/**
 * Filters of the events endpoint (requirements: Endpoints; collector: Answer). All must match;
 * `user_id` null matches the anonymous rows, an absent field does not filter.
 */
export interface EventQuery extends Partial<Identity> {
  readonly store?: SourceStore | "all";
  readonly task_id?: string;
  readonly tool_name?: string;
  /** A resource ref of inputs, outputs or the ledger. */
  readonly resource_ref?: string;
  readonly event_kind?: EventKind;
  readonly status?: EventStatus;
  /** Child-event time, inclusive start and exclusive end, ISO 8601 UTC. */
  readonly start_time?: string;
  readonly end_time?: string;
}

const equalFields = [
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "root_trace_id",
  "run_id",
  "turn_id",
  "task_id",
  "event_kind",
  "status",
] as const;

/** Filters that exclude events of a turn; the others select by its identity. */
const narrowingFields = [
  "memory_id",
  "run_id",
  "task_id",
  "tool_name",
  "resource_ref",
  "event_kind",
  "status",
  "start_time",
  "end_time",
] as const;

/** True when the result may be a part of a turn: it is then no complete window. */
export function isNarrow(query: EventQuery): boolean {
  return narrowingFields.some((field) => query[field] !== undefined);
}

/** True when the event passes every filter. The event's identity must be resolved already. */
export function matches(event: TurnEvent, query: EventQuery): boolean {
  const store = query.store ?? "trace";
  if (store !== "all" && (event.source_store ?? "trace") !== store) return false;
  for (const field of equalFields) {
    const wanted = query[field];
    if (wanted !== undefined && event[field] !== wanted) return false;
  }
  if (query.tool_name !== undefined && event.attributes.tool_name !== query.tool_name) return false;
  if (query.resource_ref !== undefined && !refersTo(event, query.resource_ref)) return false;
  return inWindow(event.timestamp, query.start_time, query.end_time);
}

/** True when the event has the resource in any of its lists. */
export function refersTo(event: TurnEvent, ref: string): boolean {
  return (
    (event.input_refs?.some((item) => item.ref === ref) ?? false) ||
    (event.output_refs?.some((item) => item.ref === ref) ?? false) ||
    (event.selection_ledger?.some((item) => item.resource.ref === ref) ?? false)
  );
}

function inWindow(timestamp: string, start: string | undefined, end: string | undefined): boolean {
  if (start === undefined && end === undefined) return true;
  return (
    (start === undefined || compareTimes(timestamp, start) >= 0) &&
    (end === undefined || compareTimes(timestamp, end) < 0)
  );
}
