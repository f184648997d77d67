/** @module RowEncode: an event into the columns of a Native block; only what it says is set. */
import type { LedgerEntry, ResourceRef, TurnEvent } from "@turnproof/evidence";
import { CodedError, limits, registryRows } from "@turnproof/semconv";

import { isRegistered } from "../stored-event.ts";
import type { Instant } from "../time.ts";
import { columnType } from "./columns.ts";
import type { NativeValue } from "./native-sink.ts";
import { NativeBlock } from "./native-writer.ts";
import type { EncodedBlock, NativeColumn } from "./native-writer.ts";
import { timeColumns } from "./time-columns.ts";

/** A rank that no ledger has: one below the smallest exact whole number. */
export const noRank: number = -(2 ** 53);

/** Fields of an event that are columns of the same name. */
export const plainFields = [
  "root_trace_id",
  "span_id",
  "parent_span_id",
  "parent_remote",
  "operation",
  "dialect",
  "ingest_principal",
  "ingest_trusted",
  "source_store",
  "application_id",
  "agent_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
  "task_id",
  "external_id",
  "caused_by_event_id",
  "event_kind",
  "phase",
  "status",
  "component",
  "producer_id",
  "producer_seq",
  "identity_derived",
] as const;

/** Attribute columns by name, with their types. */
export const attributeTypes: ReadonlyMap<string, string> = new Map(
  registryRows
    .filter((row) => row.slot === "attributes")
    .map((row) => [row.event, columnType.get(row.event) ?? row.column]),
);

/**
 * Rows of the events table under construction. A column is looked up by its name once a batch, not
 * once a row.
 */
export class EventRows {
  readonly block: NativeBlock = new NativeBlock();
  private readonly columns: Record<string, NativeColumn> = Object.create(null) as Record<
    string,
    NativeColumn
  >;

  private column(name: string): NativeColumn {
    return (this.columns[name] ??= this.block.column(name, columnType.get(name) ?? "String"));
  }

  /** Sets a column of the row at hand; refuses what no column may hold. */
  set(name: string, value: NativeValue | undefined): void {
    if (isSaid(value)) this.column(name).put(this.block.rows, value);
  }

  /** Sets a text of which it is known that it is one. */
  setText(name: string, value: string | undefined): void {
    if (value === undefined || value === "") return;
    if (value.length > limits.stringCharsMax) refuse();
    this.column(name).put(this.block.rows, value);
  }

  setTimestamp({ seconds, nanos }: Instant): void {
    this.column("timestamp").putNanos(this.block.rows, seconds, nanos);
  }

  endRow(): void {
    this.block.endRow();
  }

  /** The rows of the batch of this number, which is known when all its rows are. */
  encode(batch: bigint): EncodedBlock {
    const column = this.column("batch");
    for (let row = 0; row < this.block.rows; row += 1) column.put(row, batch);
    return this.block.encode();
  }
}

/**
 * Adds one event to the rows. What `storedForm` would leave out (empty text, empty lists) is left
 * out, and what it would refuse is refused with `store_rejected_row`: the checks are made on the way
 * into the columns, because a copy of every event would cost more than its insert.
 */
export function encodeRow(rows: EventRows, event: TurnEvent, receivedMicros: number): void {
  if (!event.root_trace_id || !event.event_id) refuse();
  rows.set("received_at", receivedMicros);
  for (const field of plainFields) {
    const value = event[field];
    if (value !== undefined) rows.set(field, value);
  }
  rows.set("schema_version", event.schema_version);
  // An id that is only the span and its phase is derived again at read (design 3.8, rule 3).
  if (!isDerivedId(event)) rows.setText("event_id", event.event_id);
  if (event.user_id === null) rows.setText("scope", "anonymous");
  else if (event.user_id !== undefined && event.user_id !== "") {
    rows.setText("scope", "user");
    rows.setText("user_id", event.user_id);
  }
  encodeTimes(event, rows);
  if (event.input_refs !== undefined) encodeRefs("input", event.input_refs, rows);
  if (event.output_refs !== undefined) encodeRefs("output", event.output_refs, rows);
  if (event.selection_ledger !== undefined) encodeLedger(event.selection_ledger, rows);
  const { links, dropped } = event;
  if (links !== undefined) {
    const traces = links.map((link) => link.trace_id);
    const spans = links.map((link) => link.span_id);
    rows.set("link_traces", traces);
    rows.set("link_spans", spans);
  }
  if (dropped !== undefined) {
    rows.set("dropped_reasons", Object.keys(dropped));
    rows.set("dropped_counts", Object.values(dropped));
  }
  encodeAttributes(event.attributes, rows);
  rows.endRow();
}

/** True when the event id is the span and the phase, without making that text. */
function isDerivedId({ event_id, span_id = "", phase }: TurnEvent): boolean {
  const at = span_id.length;
  return (
    event_id.length === at + 1 + phase.length &&
    event_id.charCodeAt(at) === 0x3a &&
    event_id.startsWith(span_id) &&
    event_id.endsWith(phase)
  );
}

/** False for what is at a column's default anyway; refuses what no column may hold. */
function isSaid(value: NativeValue | undefined): value is NativeValue {
  if (value === undefined || value === "" || value === null) return false;
  if (typeof value === "string") {
    if (value.length > limits.stringCharsMax) refuse();
  } else if (typeof value === "number") {
    if (!Number.isFinite(value)) refuse();
  } else if (Array.isArray(value)) {
    const list = value as readonly NativeValue[];
    if (list.length > limits.listEntriesMax) refuse();
    for (const item of list) {
      if (typeof item === "string" && item.length > limits.stringCharsMax) refuse();
    }
    return list.length > 0;
  }
  return true;
}

function refuse(): never {
  throw new CodedError("store_rejected_row");
}

function encodeAttributes(attributes: TurnEvent["attributes"], rows: EventRows): void {
  for (const name in attributes) {
    const value = attributes[name as keyof typeof attributes];
    if (value === undefined || value === "") continue;
    if (!isRegistered(name, value)) refuse();
    if (typeof value === "object" && value !== null) refuseInfinite(value);
    rows.set(name, name === "acknowledged" ? String(value) : value);
  }
}

function refuseInfinite(list: readonly unknown[]): void {
  if (list.some((item) => typeof item === "number" && !isFinite(item))) refuse();
}

/** The id of an event that did not bring one. */
export function derivedId(event: { readonly span_id?: string; readonly phase: string }): string {
  return `${event.span_id ?? ""}:${event.phase}`;
}

function encodeTimes(event: TurnEvent, rows: EventRows): void {
  const times = timeColumns(event);
  rows.setTimestamp(times.timestamp);
  rows.set("timestamp_digits", times.digits);
  if (times.timestampSaid !== undefined) rows.set("timestamp_said", times.timestampSaid);
  if (times.timing !== 0) rows.set("timing", times.timing);
  if (times.elapsedNs !== 0) rows.set("elapsed_ns", times.elapsedNs);
  if (times.startedSaid !== undefined) rows.set("started_said", times.startedSaid);
  if (times.durationSaid !== undefined) rows.set("duration_said", times.durationSaid);
}

function encodeRefs(side: "input" | "output", refs: readonly ResourceRef[], rows: EventRows): void {
  rows.set(
    `${side}_types`,
    refs.map((item) => item.resource_type ?? ""),
  );
  rows.set(
    `${side}_refs`,
    refs.map((item) => item.ref ?? ""),
  );
  encodeRefStates(side, refs, rows);
}

/** The parts of a reference that most leave out; a list in which nobody says anything is not set. */
function encodeRefStates(
  side: "input" | "output" | "ledger",
  refs: readonly Partial<ResourceRef>[],
  rows: EventRows,
): void {
  const lists = {
    versions: refs.map((item) => item.version ?? ""),
    roles: refs.map((item) => item.role ?? ""),
    ownership: refs.map((item) => item.ownership_verified?.toString() ?? ""),
    provenance: refs.map((item) => item.provenance_status ?? ""),
  };
  for (const [name, list] of Object.entries(lists)) {
    if (list.some((item) => item !== "")) rows.set(`${side}_${name}`, list);
  }
}

function encodeLedger(ledger: readonly LedgerEntry[], rows: EventRows): void {
  rows.set(
    "ledger_types",
    ledger.map((line) => line.resource?.resource_type ?? ""),
  );
  rows.set(
    "ledger_refs",
    ledger.map((line) => line.resource?.ref ?? ""),
  );
  rows.set(
    "ledger_ranks",
    ledger.map((line) => line.candidate_rank ?? noRank),
  );
  const scores = ledger.map((line) => line.relevance_score);
  if (scores.some((score) => score !== undefined && !Number.isFinite(score))) refuse();
  rows.set(
    "ledger_scores",
    scores.map((score) => score ?? Number.NaN),
  );
  rows.set(
    "ledger_selected",
    ledger.map((line) => line.selected?.toString() ?? ""),
  );
  rows.set(
    "ledger_reasons",
    ledger.map((line) => line.selection_reason ?? ""),
  );
  encodeRefStates(
    "ledger",
    ledger.map((line) => line.resource ?? {}),
    rows,
  );
}
