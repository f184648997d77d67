/**
 * @module EventColumns: the table `events`. One row is one event, its identity resolved and its
 * copies merged, as on the event page. Attributes that many questions need have a column of their
 * own; all of them are in `attributes_json`.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { attribute } from "@turnproof/semconv";
import type { AttributeName } from "@turnproof/semconv";

import { microsOf } from "../ledger/turn-fields.ts";
import type { ColumnType, ColumnValue, TableColumn } from "./table-column.ts";

/** A column of events, and the field of an event that it is read from. */
export interface EventColumn extends TableColumn<TurnEvent> {
  readonly field: keyof TurnEvent;
  /** The attribute, for a column that is read from one. */
  readonly attribute?: AttributeName;
  /** The column's value of the field's, or of the attribute's, where it is recorded. */
  readonly of: (held: unknown) => ColumnValue;
}

type ColumnHead = Pick<EventColumn, "name" | "type" | "brief">;

/** A column of a field; without `of` the field's value itself. */
function ofField(
  field: keyof TurnEvent,
  named: ColumnHead,
  of: EventColumn["of"] = (held) => held as ColumnValue,
): EventColumn {
  const value = ({ [field]: held }: TurnEvent): ColumnValue =>
    held === undefined ? null : of(held);
  return { ...named, field, of, value };
}

/** Fields of an event that are one text. */
const texts = {
  root_trace_id: "Root trace.",
  event_id: "Id of the event in its root.",
  event_kind: "Kind of event.",
  phase: "`start` or `result`.",
  status: "Status of the event.",
  operation: "Name of the operation.",
  span_id: "Span that recorded it.",
  parent_span_id: "Parent of that span.",
  application_id: "Application.",
  agent_id: "Agent.",
  memory_id: "Memory.",
  thread_id: "Thread.",
  run_id: "Run.",
  turn_id: "Turn.",
  task_id: "Task.",
  component: "Component of the application.",
  service_name: "Service that recorded it, where it differs from the turn's application.",
  dialect: "Dialect of the instrumentation.",
  ingest_principal: "Principal that sent it.",
  producer_id: "Process that sent it.",
  external_id: "Id that the host gave it.",
  caused_by_event_id: "Event that caused it.",
} as const satisfies Partial<Record<keyof TurnEvent, string>>;

/** Parts of an event that are documents. */
const documents = {
  input_refs: "Resources that it read.",
  output_refs: "Resources that it wrote.",
  selection_ledger: "Candidates of a selection.",
  links: "Links to other spans.",
  dropped: "Refused attributes, counted by reason.",
} as const satisfies Partial<Record<keyof TurnEvent, string>>;

/** Attributes with a column of their own. */
const shownAttributes = [
  "model",
  "provider",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "tool_name",
  "tool_outcome",
  "error_type",
  "cache_decision",
  "artifact_status",
  "parser_status",
] as const satisfies readonly AttributeName[];

const number = (name: "producer_seq" | "schema_version", brief: string): EventColumn =>
  ofField(name, { name, type: "integer", brief });

const time = (
  name: string,
  field: "timestamp" | "started_at" | "received_at",
  brief: string,
): EventColumn =>
  ofField(field, { name, type: "time", brief: `${brief}, cut to microseconds.` }, (at) =>
    microsOf(at as string),
  );

function shown(name: (typeof shownAttributes)[number]): EventColumn {
  const { type, brief } = attribute[name];
  const columnType: ColumnType = type === "int" ? "integer" : type === "string" ? "text" : "number";
  const of = (held: unknown): ColumnValue => (held ?? null) as ColumnValue;
  return {
    name,
    type: columnType,
    brief,
    field: "attributes",
    attribute: name,
    of,
    value: ({ attributes }) => of((attributes as Readonly<Record<string, unknown>>)[name]),
  };
}

/** The columns of `events`, in their order. */
export const eventColumns: readonly EventColumn[] = [
  time("timestamp", "timestamp", "Time of the event"),
  time("started_at", "started_at", "Start of its span"),
  time("event_received_at", "received_at", "First receipt"),
  ofField("duration_ms", {
    name: "duration_ms",
    type: "number",
    brief: "Milliseconds from start to end.",
  }),
  ...(Object.keys(texts) as (keyof typeof texts)[]).map((name) =>
    ofField(name, { name, type: "text", brief: texts[name] }),
  ),
  ofField(
    "user_id",
    {
      name: "scope",
      type: "text",
      brief: "`user` with a tenant, `anonymous` without one, unknown where neither is recorded.",
    },
    (user) => (user === null ? "anonymous" : "user"),
  ),
  ofField("user_id", { name: "user_id", type: "text", brief: "Tenant." }),
  ofField("ingest_trusted", {
    name: "ingest_trusted",
    type: "flag",
    brief: "Whether that principal may assert verification; unknown counts as true.",
  }),
  number("producer_seq", "Number of the event in its process."),
  number("schema_version", "Version of the event's form."),
  ...shownAttributes.map(shown),
  ofField(
    "attributes",
    { name: "attributes_json", type: "json", brief: "Every attribute, by its short name." },
    (attributes) => JSON.stringify(attributes),
  ),
  ...(Object.keys(documents) as (keyof typeof documents)[]).map((name) =>
    ofField(name, { name: `${name}_json`, type: "json", brief: documents[name] }, (held) =>
      JSON.stringify(held),
    ),
  ),
];

/** Names of the parts that the view unpacks as documents. */
export const eventDocuments: readonly string[] = Object.keys(documents);
