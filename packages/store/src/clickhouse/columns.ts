/**
 * @module Columns: the columns of the evidence table, one per row of the registry and the few that
 * the structure of an event needs beside them. The .sql file is generated from this list, and a
 * test keeps the two in step. Nothing here is a map or free JSON.
 */
import { limits, registryRows } from "@turnproof/semconv";

/** A column: its name, its type in the table, its codec, and the condition it is held to. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly codec: string;
  readonly check?: Check;
}

/** A condition on a column: closed values, the length of a text, or a list and its entries. */
export interface Check {
  readonly form: "closed" | "text" | "list";
  readonly sql: string;
}

/** Longest text in bytes: the cap counts characters, and a character has at most three bytes each. */
const textBytesMax = limits.stringCharsMax * 3;

const label = "LowCardinality(String)";
const labels = "Array(String)";

/** Labels that nearly every row has or that pages filter by; only these earn a dictionary. */
const dictionaries: ReadonlySet<string> = new Set([
  "scope",
  "event_kind",
  "phase",
  "status",
  "tool_name",
  "tool_outcome",
  "model",
  "provider",
]);

/** Registry rows whose column needs more states or digits than their type has. */
const overridden: { readonly [name: string]: string } = {
  timestamp: "DateTime64(9, 'UTC')",
  // true, false, null (the explicit unknown) and absent are four states.
  acknowledged: "String",
  // A ledger line may leave out whether it was selected.
  ledger_selected: labels,
};

const ordered = "Delta(8), ZSTD(1)";
const plain = "ZSTD(1)";

function text(name: string): Column {
  return { name, type: "String", codec: plain, check: textCheck(name) };
}

function textCheck(name: string): Check {
  return { form: "text", sql: `length(${name}) <= ${textBytesMax}` };
}

function of(name: string, type: string, codec: string = plain): Column {
  return { name, type, codec };
}

/** Columns that come from the structure of an event, not from an attribute. */
const structural: readonly Column[] = [
  of("received_at", "DateTime64(6, 'UTC')", ordered),
  of("batch", "UInt64"),
  text("root_trace_id"),
  text("span_id"),
  text("parent_span_id"),
  of("parent_remote", "Nullable(Bool)"),
  of("schema_version", "UInt8"),
  of("operation", label),
  // Digits of the timestamp's fraction; said: the text itself where the column cannot hold it.
  of("timestamp_digits", "UInt8"),
  text("timestamp_said"),
  // How started_at and duration_ms are told, see time-columns.ts.
  of("timing", "UInt8"),
  of("elapsed_ns", "Int64"),
  text("started_said"),
  of("duration_said", "Nullable(Float64)"),
  of("dialect", label),
  of("ingest_principal", label),
  of("ingest_trusted", "Nullable(Bool)"),
  of("source_store", label),
  of("identity_derived", labels),
  of("link_traces", "Array(String)"),
  of("link_spans", "Array(String)"),
  of("ledger_versions", "Array(String)"),
  of("ledger_roles", labels),
  of("ledger_ownership", labels),
  of("ledger_provenance", labels),
  of("dropped_reasons", labels),
  of("dropped_counts", "Array(Int64)"),
];

function checkOf(name: string, type: string, values: readonly string[] | undefined): Check {
  if (type.startsWith("Array")) {
    const held = `length(${name}) <= ${limits.listEntriesMax}`;
    const entries = `arrayAll(x -> length(x) <= ${textBytesMax}, ${name})`;
    return { form: "list", sql: type.includes("String") ? `${held} AND ${entries}` : held };
  }
  if (values === undefined) return textCheck(name);
  const closed = [...new Set(["", ...values])].map((value) => `'${value}'`);
  return { form: "closed", sql: `${name} IN (${closed.join(", ")})` };
}

const registered: readonly Column[] = registryRows.map((row) => {
  const type = overridden[row.event] ?? (dictionaries.has(row.event) ? label : row.column);
  const codec = row.event === "timestamp" ? ordered : plain;
  const column = { name: row.event, type, codec };
  const checked = type.includes("String");
  const values = row.event === "acknowledged" ? ["true", "false", "null"] : row.values;
  if (!checked && !type.startsWith("Array")) return column;
  return { ...column, check: checkOf(row.event, type, values) };
});

/** All columns of the evidence table, in the order of the file. */
export const eventColumns: readonly Column[] = [
  ...structural,
  ...registered.filter((column) => !structural.some((own) => own.name === column.name)),
];

/** The type of a column by its name. */
export const columnType: ReadonlyMap<string, string> = new Map(
  eventColumns.map((column) => [column.name, column.type]),
);
