/**
 * @module BundleFields: positions of an event's fields in a packed body. A field is in the
 * segment's head when its first event has it, in an event's own slot, or in its rest.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** Fields that are equal in most events of one turn. */
export type SharedField = Extract<
  keyof TurnEvent,
  | "schema_version"
  | "application_id"
  | "agent_id"
  | "user_id"
  | "memory_id"
  | "thread_id"
  | "run_id"
  | "turn_id"
  | "task_id"
  | "component"
  | "service_name"
  | "dialect"
  | "ingest_principal"
  | "ingest_trusted"
  | "source_store"
  | "producer_id"
>;

/** Fields that few events have. */
export type RareField = Extract<
  keyof TurnEvent,
  | "external_id"
  | "parent_remote"
  | "caused_by_event_id"
  | "identity_derived"
  | "links"
  | "input_refs"
  | "output_refs"
  | "selection_ledger"
  | "dropped"
>;

/** Version of the body, its first element. */
export const bodyVersion: number = 1;

/** Fields that are equal in most events of one turn: written once, in the head of a segment. */
export const sharedFields: readonly SharedField[] = [
  "schema_version",
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "task_id",
  "component",
  "service_name",
  "dialect",
  "ingest_principal",
  "ingest_trusted",
  "source_store",
  "producer_id",
];

/** Fields that few events have. */
export const rareFields: readonly RareField[] = [
  "external_id",
  "parent_remote",
  "caused_by_event_id",
  "identity_derived",
  "links",
  "input_refs",
  "output_refs",
  "selection_ledger",
  "dropped",
];

type FieldSlot =
  | "kind"
  | "phase"
  | "status"
  | "end"
  | "took"
  | "span"
  | "parent"
  | "operation"
  | "seq"
  | "attributes"
  | "rest";

/** Marks, in an event's rest, a field of the head that this event lacks. */
export const absentField: number = 0;

/** Positions of an event's own slots. */
export const slot: Readonly<Record<FieldSlot, number>> = {
  kind: 0,
  phase: 1,
  status: 2,
  /** Nanoseconds after the segment's base second, or the text of a time with other digits. */
  end: 3,
  /** Nanoseconds from start to end; null when the start is in the rest or absent. */
  took: 4,
  span: 5,
  parent: 6,
  operation: 7,
  seq: 8,
  attributes: 9,
  rest: 10,
};

/** Names allowed in the rest beside the shared and the rare fields. */
export const restNames: readonly string[] = ["event_id", "started_at", "duration_ms", "received"];
