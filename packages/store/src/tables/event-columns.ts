/**
 * @module EventColumns: the table `events`. One row is one event, its identity resolved and its
 * copies merged, as on the event page. Attributes that many questions need have a column of their
 * own; all of them are in `attributes_json`.
 */
import type { EventAttributeMap, TurnEvent } from "@turnproof/evidence";
import { attribute } from "@turnproof/semconv";
import type { AttributeName } from "@turnproof/semconv";

import { microsOf } from "../ledger/turn-fields.ts";
import type { ColumnType, ColumnValue, TableColumn } from "./table-column.ts";

type Column = TableColumn<TurnEvent>;

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

const number = (name: "producer_seq" | "schema_version", brief: string): Column => ({
  name,
  type: "integer",
  brief,
  value: (event) => event[name] ?? null,
});

const time = (
  name: string,
  field: "timestamp" | "started_at" | "received_at",
  brief: string,
): Column => ({
  name,
  type: "time",
  brief: `${brief}, cut to microseconds.`,
  value: ({ [field]: at }) => (at === undefined ? null : microsOf(at)),
});

function shown(name: (typeof shownAttributes)[number]): Column {
  const { type, brief } = attribute[name];
  const columnType: ColumnType = type === "int" ? "integer" : type === "string" ? "text" : "number";
  const value = ({ attributes }: TurnEvent): ColumnValue =>
    (attributes as EventAttributeMap & Readonly<Record<string, ColumnValue>>)[name] ?? null;
  return { name, type: columnType, brief, value };
}

/** The columns of `events`, in their order. */
export const eventColumns: readonly Column[] = [
  time("timestamp", "timestamp", "Time of the event"),
  time("started_at", "started_at", "Start of its span"),
  time("event_received_at", "received_at", "First receipt"),
  {
    name: "duration_ms",
    type: "number",
    brief: "Milliseconds from start to end.",
    value: ({ duration_ms: ms }) => ms ?? null,
  },
  ...Object.entries(texts).map(([name, brief]): Column => ({
    name,
    type: "text",
    brief,
    value: (event) => (event as unknown as Readonly<Record<string, string>>)[name] ?? null,
  })),
  {
    name: "scope",
    type: "text",
    brief: "`user` with a tenant, `anonymous` without one, unknown where neither is recorded.",
    value: ({ user_id: user }) =>
      user === undefined ? null : user === null ? "anonymous" : "user",
  },
  {
    name: "user_id",
    type: "text",
    brief: "Tenant.",
    value: ({ user_id: user }) => user ?? null,
  },
  {
    name: "ingest_trusted",
    type: "flag",
    brief: "Whether that principal may assert verification; unknown counts as true.",
    value: ({ ingest_trusted: trusted }) => trusted ?? null,
  },
  number("producer_seq", "Number of the event in its process."),
  number("schema_version", "Version of the event's form."),
  ...shownAttributes.map(shown),
  {
    name: "attributes_json",
    type: "json",
    brief: "Every attribute, by its short name.",
    value: ({ attributes }) => JSON.stringify(attributes),
  },
  ...Object.entries(documents).map(([name, brief]): Column => ({
    name: `${name}_json`,
    type: "json",
    brief,
    value: (event) => {
      const held = (event as unknown as Readonly<Record<string, unknown>>)[name];
      return held === undefined ? null : JSON.stringify(held);
    },
  })),
];

/** Names of the parts that the view unpacks as documents. */
export const eventDocuments: readonly string[] = Object.keys(documents);
