/** @module RowEncode: an event into the columns of a Native block; only what it says is set. */
import type { LedgerEntry, ResourceRef, TurnEvent } from "@turnproof/evidence";
import { CodedError, limits, registryRows } from "@turnproof/semconv";

import { isRegistered } from "../stored-event.ts";
import { columnType } from "./columns.ts";
import type { NativeBlock, NativeValue } from "./native-writer.ts";
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
 * Adds one event to the block. What `storedForm` would leave out (empty text, empty lists) is left
 * out, and what it would refuse is refused with `store_rejected_row`: the checks are made on the way
 * into the columns, because a copy of every event would cost more than its insert.
 */
export function encodeRow(
  block: NativeBlock,
  event: TurnEvent,
  receivedMicros: number,
  batch: bigint,
): void {
  if (!event.root_trace_id || !event.event_id) refuse();
  const set: Set = (name, value) => {
    if (isSaid(value)) block.set(name, columnType.get(name) ?? "String", value);
  };
  set("received_at", receivedMicros);
  set("batch", batch);
  for (const field of plainFields) set(field, event[field]);
  set("schema_version", event.schema_version);
  // An id that is only the span and its phase is derived again at read (design 3.8, rule 3).
  if (event.event_id !== derivedId(event)) set("event_id", event.event_id);
  if (event.user_id === null) set("scope", "anonymous");
  else if (event.user_id !== undefined && event.user_id !== "") {
    set("scope", "user");
    set("user_id", event.user_id);
  }
  encodeTimes(event, set);
  encodeRefs("input", event.input_refs, set);
  encodeRefs("output", event.output_refs, set);
  encodeLedger(event.selection_ledger, set);
  if (event.links !== undefined) {
    set(
      "link_traces",
      event.links.map((link) => link.trace_id),
    );
    set(
      "link_spans",
      event.links.map((link) => link.span_id),
    );
  }
  if (event.dropped !== undefined) {
    set("dropped_reasons", Object.keys(event.dropped));
    set("dropped_counts", Object.values(event.dropped));
  }
  encodeAttributes(event.attributes, set);
  block.endRow();
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

function encodeAttributes(attributes: TurnEvent["attributes"], set: Set): void {
  for (const name in attributes) {
    const value = attributes[name as keyof typeof attributes];
    if (value === undefined || value === "") continue;
    if (!isRegistered(name, value)) refuse();
    if (Array.isArray(value) && value.some((item) => typeof item === "number" && !isFinite(item))) {
      refuse();
    }
    set(name, name === "acknowledged" ? String(value) : value);
  }
}

/** The id of an event that did not bring one. */
export function derivedId(event: { readonly span_id?: string; readonly phase: string }): string {
  return `${event.span_id ?? ""}:${event.phase}`;
}

type Set = (name: string, value: NativeValue | undefined) => void;

function encodeTimes(event: TurnEvent, set: Set): void {
  const times = timeColumns(event);
  set("timestamp", times.timestamp);
  set("timestamp_digits", times.digits);
  set("timestamp_said", times.timestampSaid);
  if (times.timing !== 0) set("timing", times.timing);
  if (times.elapsedNs !== 0) set("elapsed_ns", times.elapsedNs);
  set("started_said", times.startedSaid);
  set("duration_said", times.durationSaid);
}

function encodeRefs(side: "input" | "output", refs: readonly ResourceRef[] | undefined, set: Set) {
  if (refs === undefined) return;
  set(
    `${side}_types`,
    refs.map((item) => item.resource_type ?? ""),
  );
  set(
    `${side}_refs`,
    refs.map((item) => item.ref ?? ""),
  );
  encodeRefStates(side, refs, set);
}

/** The parts of a reference that most leave out; a list in which nobody says anything is not set. */
function encodeRefStates(
  side: "input" | "output" | "ledger",
  refs: readonly Partial<ResourceRef>[],
  set: Set,
): void {
  const lists = {
    versions: refs.map((item) => item.version ?? ""),
    roles: refs.map((item) => item.role ?? ""),
    ownership: refs.map((item) => item.ownership_verified?.toString() ?? ""),
    provenance: refs.map((item) => item.provenance_status ?? ""),
  };
  for (const [name, list] of Object.entries(lists)) {
    if (list.some((item) => item !== "")) set(`${side}_${name}`, list);
  }
}

function encodeLedger(ledger: readonly LedgerEntry[] | undefined, set: Set): void {
  if (ledger === undefined) return;
  set(
    "ledger_types",
    ledger.map((line) => line.resource?.resource_type ?? ""),
  );
  set(
    "ledger_refs",
    ledger.map((line) => line.resource?.ref ?? ""),
  );
  set(
    "ledger_ranks",
    ledger.map((line) => line.candidate_rank ?? noRank),
  );
  const scores = ledger.map((line) => line.relevance_score);
  if (scores.some((score) => score !== undefined && !Number.isFinite(score))) refuse();
  set(
    "ledger_scores",
    scores.map((score) => score ?? Number.NaN),
  );
  set(
    "ledger_selected",
    ledger.map((line) => line.selected?.toString() ?? ""),
  );
  set(
    "ledger_reasons",
    ledger.map((line) => line.selection_reason ?? ""),
  );
  encodeRefStates(
    "ledger",
    ledger.map((line) => line.resource ?? {}),
    set,
  );
}
