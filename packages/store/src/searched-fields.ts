/**
 * @module SearchedFields: what a database keeps beside an event to find it by: the identity that
 * the row itself says, what it is, and every id that it names. One home, so that PostgreSQL's
 * columns and MongoDB's fields are the same and conditions on them can be written once.
 */
import type { EventKind, EventStatus } from "@turnproof/semconv";

import { mentionedIds } from "./mention.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Fields beside an event; null where the row says nothing. */
export interface SearchedFields {
  readonly application_id: string | null;
  readonly agent_id: string | null;
  /** Anonymous was said, and its user is null; nobody having said anything is a third state. */
  readonly tenant_said: boolean;
  readonly user_id: string | null;
  readonly memory_id: string | null;
  readonly thread_id: string | null;
  readonly run_id: string | null;
  readonly turn_id: string | null;
  readonly task_id: string | null;
  readonly span_id: string | null;
  readonly event_kind: EventKind;
  readonly status: EventStatus;
  readonly tool_name: string | null;
  readonly source_store: string;
  /** Every opaque id that the row names, for the incident finder. */
  readonly mentions: readonly string[];
}

/** The fields of an event. */
export function searchedFields(event: StoredEvent): SearchedFields {
  return {
    application_id: event.application_id ?? null,
    agent_id: event.agent_id ?? null,
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
