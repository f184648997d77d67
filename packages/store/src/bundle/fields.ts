/**
 * @module BundleFields: the places that the fields of an event have in a packed body. A field
 * stands in the segment's head when its first event says it, in an event's own slot, or in its
 * rest.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** Fields that most events of one turn say alike. */
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

/** Fields that few events say. */
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

/** Version of the body; it is the first element of every one. */
export const bodyVersion: number = 1;

/** Fields that most events of one turn say alike: told once, in the head of a segment. */
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

/** Fields that few events say. */
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

type Slot =
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

/** In an event's rest: a field that the head says and this event does not. */
export const unsaid: number = 0;

/** Places of an event's own slots. */
export const slot: Readonly<Record<Slot, number>> = {
  kind: 0,
  phase: 1,
  status: 2,
  /** Nanoseconds after the segment's base second, or the text of a time that has other digits. */
  end: 3,
  /** Nanoseconds from start to end; null when the start stands in the rest or nowhere. */
  took: 4,
  span: 5,
  parent: 6,
  operation: 7,
  seq: 8,
  attributes: 9,
  rest: 10,
};

/** Names that may stand in the rest beside the shared and the rare fields. */
export const restNames: readonly string[] = ["event_id", "started_at", "duration_ms", "received"];
