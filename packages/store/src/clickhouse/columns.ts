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

/** A condition on a column: closed values, the length of a text, or of a list and its entries. */
export type Check =
  | { readonly form: "closed"; readonly values: readonly string[] }
  | { readonly form: "text" | "texts" | "numbers" };

/** Longest text in bytes: the cap counts characters, and a character has at most three bytes each. */
export const textBytesMax: number = limits.stringCharsMax * 3;

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
const dense = "ZSTD(1)";
const quick = "LZ4";

/**
 * Columns that most rows set, and ids and references, of which no two are the same: these earn the
 * denser codec. The others are at their default nearly everywhere, and the set-up of the denser
 * codec, once for each of them in each granule, was a tenth of an insert and a quarter of a merge.
 */
const densely: ReadonlySet<string> = new Set(
  (
    "received_at batch root_trace_id span_id parent_span_id operation schema_version dialect " +
    "timestamp timestamp_digits timing elapsed_ns ingest_principal scope user_id application_id " +
    "agent_id memory_id thread_id run_id turn_id task_id event_id external_id caused_by_event_id " +
    "event_kind phase status component producer_id producer_seq dropped_reasons dropped_counts " +
    "genai_operation agent_name model response_model provider input_tokens output_tokens " +
    "finish_reason ttft_ms request_id error_type tool_name tool_call_id tool_outcome result_count " +
    "call_fingerprint store_id record_id data_source_id cache_fingerprint producing_span_id " +
    "content_fingerprint request_context_fingerprint provenance_request_id comment_hash " +
    "input_types input_refs input_versions output_types output_refs output_versions link_traces " +
    "link_spans ledger_types ledger_refs ledger_versions ledger_scores ledger_reasons " +
    "retrieved_scores candidate_ref job_ref client_page_id canonical_page_id expected_thread_id"
  ).split(" "),
);

function text(name: string): Column {
  return { ...of(name, "String"), check: { form: "text" } };
}

function of(name: string, type: string): Column {
  const whole = name === "received_at" || name === "timestamp" ? ordered : dense;
  return { name, type, codec: densely.has(name) ? whole : quick };
}

/** Columns that come from the structure of an event, not from an attribute. */
const structural: readonly Column[] = [
  of("received_at", "DateTime64(6, 'UTC')"),
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

function checkOf(type: string, values: readonly string[] | undefined): Check {
  if (type.startsWith("Array")) return { form: type.includes("String") ? "texts" : "numbers" };
  if (values === undefined) return { form: "text" };
  return { form: "closed", values: [...new Set(["", ...values])] };
}

const registered: readonly Column[] = registryRows.map((row) => {
  const type = overridden[row.event] ?? (dictionaries.has(row.event) ? label : row.column);
  const column = of(row.event, type);
  const checked = type.includes("String");
  const values = row.event === "acknowledged" ? ["true", "false", "null"] : row.values;
  if (!checked && !type.startsWith("Array")) return column;
  return { ...column, check: checkOf(type, values) };
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
