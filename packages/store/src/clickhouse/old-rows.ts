/** @module OldRows: reads rows of the old table of events, one column per field, as events. */
import { instantOfNanos, isoOfMicros, registryRows } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import type { NativeTable } from "./native-reader.ts";
import { timesOf } from "./old-times.ts";

/** A rank that no ledger has: one below the smallest exact whole number. */
const noRank = -(2 ** 53);

/** Fields of an event that were columns of the same name. */
const plainFields = [
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

const attributeNames: ReadonlySet<string> = new Set(
  registryRows.filter((row) => row.slot === "attributes").map((row) => row.event),
);

type Row = Record<string, unknown>;

/** All events of an answer; columns that were not queried count as absent. */
export function decodeRows(table: NativeTable): StoredEvent[] {
  const attributes = [...table.columns].filter(([name]) => attributeNames.has(name));
  const plain = plainFields.flatMap((name) => {
    const values = table.columns.get(name);
    return values === undefined ? [] : [{ name, values }];
  });
  const events: StoredEvent[] = [];
  for (let i = 0; i < table.rows; i += 1) {
    const event: Row = {};
    for (const { name, values } of plain) put(event, name, values[i]);
    const at = (name: string): unknown => table.columns.get(name)?.[i];
    decodeOwn(event, at);
    const held: Row = {};
    for (const [name, values] of attributes) put(held, name, values[i]);
    decodeAcknowledged(held);
    event["attributes"] = held;
    events.push(event as unknown as StoredEvent);
  }
  return events;
}

type At = (name: string) => unknown;

/** Leaves out a value that equals the column's default. */
function put(row: Row, name: string, value: unknown): void {
  if (value === null || value === undefined || value === "") return;
  if (Array.isArray(value) && value.length === 0) return;
  row[name] = value;
}

function decodeOwn(event: Row, at: At): void {
  event["schema_version"] = at("schema_version") ?? 3;
  event["received_at"] = isoOfMicros(Number(at("received_at")));
  const stated = at("event_id");
  event["event_id"] =
    stated === undefined || stated === ""
      ? `${(event["span_id"] as string | undefined) ?? ""}:${String(event["phase"])}`
      : stated;
  const scope = at("scope");
  if (scope === "anonymous") event["user_id"] = null;
  else if (scope === "user") event["user_id"] = at("user_id");
  Object.assign(event, decodeTimes(at));
  put(event, "input_refs", decodeRefs("input", at));
  put(event, "output_refs", decodeRefs("output", at));
  put(event, "selection_ledger", decodeLedger(at));
  const traces = listOf(at("link_traces"));
  const spans = listOf(at("link_spans"));
  put(
    event,
    "links",
    traces.map((trace_id, i) => ({ trace_id, span_id: spans[i] })),
  );
  const reasons = listOf(at("dropped_reasons"));
  const counts = listOf(at("dropped_counts"));
  if (reasons.length > 0) {
    event["dropped"] = Object.fromEntries(reasons.map((reason, i) => [reason, counts[i]]));
  }
}

function decodeTimes(at: At): object {
  const text = (name: string): string | undefined => (at(name) as string | undefined) || undefined;
  const duration = at("duration_said");
  const timestampStated = text("timestamp_said");
  const startedStated = text("started_said");
  return timesOf({
    timestamp: instantOfNanos(at("timestamp") as bigint),
    digits: Number(at("timestamp_digits") ?? 9),
    timing: Number(at("timing") ?? 0),
    elapsedNs: Number(at("elapsed_ns") ?? 0),
    ...(timestampStated === undefined ? {} : { timestampStated }),
    ...(startedStated === undefined ? {} : { startedStated }),
    ...(typeof duration === "number" ? { durationStated: duration } : {}),
  });
}

function decodeRefs(side: "input" | "output" | "ledger", at: At): Row[] {
  const refs = listOf(at(`${side}_refs`));
  if (refs.length === 0) return [];
  const types = listOf(at(`${side}_types`));
  const versions = listOf(at(`${side}_versions`));
  const roles = listOf(at(`${side}_roles`));
  const ownership = listOf(at(`${side}_ownership`));
  const provenance = listOf(at(`${side}_provenance`));
  return refs.map((ref, i) => {
    const item: Row = {};
    put(item, "resource_type", types[i]);
    put(item, "ref", ref);
    put(item, "version", versions[i]);
    put(item, "role", roles[i]);
    put(item, "ownership_verified", boolOf(ownership[i]));
    put(item, "provenance_status", provenance[i]);
    return item;
  });
}

function decodeLedger(at: At): Row[] {
  const ranks = listOf(at("ledger_ranks"));
  const scores = listOf(at("ledger_scores"));
  const selected = listOf(at("ledger_selected"));
  const reasons = listOf(at("ledger_reasons"));
  return decodeRefs("ledger", at).map((resource, i) => {
    const line: Row = { resource };
    if (Number(ranks[i] ?? noRank) !== noRank) line["candidate_rank"] = Number(ranks[i]);
    if (!Number.isNaN(scores[i] ?? Number.NaN)) line["relevance_score"] = scores[i];
    put(line, "selected", boolOf(selected[i]));
    put(line, "selection_reason", reasons[i]);
    return line;
  });
}

function decodeAcknowledged(held: Row): void {
  const stated = held["acknowledged"];
  if (stated === undefined) return;
  held["acknowledged"] = stated === "null" ? null : stated === "true";
}

function boolOf(text: unknown): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
