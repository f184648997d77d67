/**
 * @module TableText: turns and events as lines of CSV (RFC 4180) and JSON. A cell of CSV that a
 * spreadsheet would compute is text: it gets an apostrophe. An unknown value is an empty cell, and
 * several values of one cell are separated by a vertical line.
 */
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { stringify } from "csv-stringify/sync";

type Cell = string | number | boolean | null | undefined;

/** A table: its columns, and their values in a row. */
export interface ExportedTable<R> {
  readonly columns: readonly (readonly [name: string, value: (row: R) => Cell])[];
}

const many = (values: readonly string[] | null | undefined): string | undefined =>
  values === null || values === undefined ? undefined : values.join("|");

/** Columns of the turns, named as the fields of `/traces/turns.json`. */
export const turnTable: ExportedTable<TurnRow> = {
  columns: [
    ["root_trace_id", (row) => row.root_trace_id],
    ["turn_id", (row) => row.turn_id],
    ["run_id", (row) => row.run_id],
    ["application_id", (row) => row.application_id],
    ["agent_id", (row) => row.agent_id],
    ["tenant_state", (row) => row.tenant_state],
    ["user_id", (row) => row.user_id],
    ["memory_id", (row) => row.memory_id],
    ["thread_id", (row) => row.thread_id],
    ["started_at", (row) => row.started_at],
    ["ended_at", (row) => row.ended_at],
    ["received_at", (row) => row.received_at],
    ["duration_ms", (row) => row.duration_ms],
    ["timing_state", (row) => row.timing_state],
    ["status", (row) => row.status],
    ["has_error", (row) => row.has_error],
    ["verdict", (row) => row.verdict],
    ["finding_codes", (row) => many(row.finding_codes)],
    ["insight_codes", (row) => many(row.insight_codes)],
    ["event_count", (row) => row.event_count],
    ["missing_completion", (row) => row.missing_completion],
    ["models", (row) => many(row.models)],
    ["tool_names", (row) => many(row.tool_names)],
    ["tool_results", (row) => row.tools.results],
    ["tool_fallback", (row) => row.tools.fallback],
    ["tool_degraded", (row) => row.tools.degraded],
    ["tool_error", (row) => row.tools.error],
    ["tool_provider_error", (row) => row.tools.provider_error],
    ["memory_retrieved", (row) => row.memory_retrieved],
    ["memory_supplied", (row) => row.memory_supplied],
    ["memory_referenced", (row) => row.memory_referenced],
    ["memory_degraded", (row) => row.memory_degraded],
    ["cache_decision", (row) => row.cache_decision],
    ["usage_state", (row) => row.usage_state],
    ["input_tokens", (row) => row.input_tokens],
    ["output_tokens", (row) => row.output_tokens],
    ["cached_tokens", (row) => row.cached_tokens],
    ["total_tokens", (row) => row.total_tokens],
    ["services", (row) => many(row.services)],
    ["releases", (row) => many(row.releases)],
    ["producers", (row) => many(row.producers)],
    ["dialects", (row) => many(row.dialects)],
    ["coverage_profiles", (row) => many(row.coverage_profiles)],
  ],
};

/** Columns of the events; what has no column of its own is JSON in the last ones. */
export const spanTable: ExportedTable<TurnEvent> = {
  columns: [
    ["root_trace_id", (event) => event.root_trace_id],
    ["turn_id", (event) => event.turn_id],
    ["run_id", (event) => event.run_id],
    ["application_id", (event) => event.application_id],
    ["agent_id", (event) => event.agent_id],
    ["user_id", (event) => event.user_id],
    ["memory_id", (event) => event.memory_id],
    ["thread_id", (event) => event.thread_id],
    ["task_id", (event) => event.task_id],
    ["event_id", (event) => event.event_id],
    ["event_kind", (event) => event.event_kind],
    ["operation", (event) => event.operation],
    ["phase", (event) => event.phase],
    ["status", (event) => event.status],
    ["started_at", (event) => event.started_at],
    ["timestamp", (event) => event.timestamp],
    ["received_at", (event) => event.received_at],
    ["duration_ms", (event) => event.duration_ms],
    ["span_id", (event) => event.span_id],
    ["parent_span_id", (event) => event.parent_span_id],
    ["caused_by_event_id", (event) => event.caused_by_event_id],
    ["service_name", (event) => event.service_name],
    ["component", (event) => event.component],
    ["dialect", (event) => event.dialect],
    ["producer_id", (event) => event.producer_id],
    ["producer_seq", (event) => event.producer_seq],
    ["tool_name", (event) => event.attributes.tool_name],
    ["tool_outcome", (event) => event.attributes.tool_outcome],
    ["model", (event) => event.attributes.model],
    ["error_type", (event) => event.attributes.error_type],
    ["input_tokens", (event) => event.attributes.input_tokens],
    ["output_tokens", (event) => event.attributes.output_tokens],
    ["attributes", (event) => JSON.stringify(event.attributes)],
    ["input_refs", (event) => json(event.input_refs)],
    ["output_refs", (event) => json(event.output_refs)],
    ["dropped", (event) => json(event.dropped)],
  ],
};

function json(value: object | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The first line of a table in CSV. */
export function csvHead<R>({ columns }: ExportedTable<R>): string {
  return csvLines([columns.map(([name]) => name)]);
}

/** Rows as lines of CSV, each ended. */
export function csvRows<R>({ columns }: ExportedTable<R>, rows: readonly R[]): string {
  return csvLines(rows.map((row) => columns.map(([, value]) => value(row))));
}

function csvLines(cells: readonly (readonly Cell[])[]): string {
  return stringify(cells as Cell[][], {
    escape_formulas: true,
    record_delimiter: "\r\n",
    cast: { boolean: String },
  });
}

/** Rows as lines of JSON, each ended. */
export function jsonRows(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}
