/**
 * @module EventShape: whether a value already is a normalized event. The judge accepts any array;
 * values that pass here are used directly, all others are normalized first.
 */
import {
  eventKinds,
  eventPhases,
  eventStatuses,
  isNormalTime,
  isRecord,
  registryRows,
} from "@turnproof/semconv";
import type { AttributeType, Untyped } from "@turnproof/semconv";

import type { LedgerEntry, EventResource, TurnEvent } from "./event.ts";

const kinds: ReadonlySet<unknown> = new Set(eventKinds);
const phases: ReadonlySet<unknown> = new Set(eventPhases);
const statuses: ReadonlySet<unknown> = new Set(eventStatuses);
/** Registered attributes by short name and the type that each must have. */
const attributeTypes: ReadonlyMap<string, AttributeType> = new Map(
  registryRows.filter((row) => row.slot === "attributes").map((row) => [row.event, row.type]),
);

function isText(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value !== "");
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

function isNumber(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && Number.isFinite(value));
}

/** True for a time in normalized form; fast, because every event has one. */
function isTime(value: unknown): boolean {
  return typeof value === "string" && isNormalTime(value);
}

function isRef(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const ref = value as { readonly [K in keyof EventResource]?: unknown };
  return (
    typeof ref.ref === "string" &&
    typeof ref.resource_type === "string" &&
    isText(ref.version) &&
    isText(ref.role) &&
    isFlag(ref.ownership_verified) &&
    isText(ref.provenance_status)
  );
}

function isEntry(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const entry = value as { readonly [K in keyof LedgerEntry]?: unknown };
  return isRef(entry.resource) && isFlag(entry.selected);
}

function isListOf(value: unknown, test: (item: unknown) => boolean): boolean {
  return value === undefined || (Array.isArray(value) && value.every(test));
}

function hasType(value: unknown, type: AttributeType): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "int":
    case "double":
      return typeof value === "number" && Number.isFinite(value);
    case "string[]":
      return Array.isArray(value) && value.every(isString);
    case "boolean[]":
      return Array.isArray(value) && value.every((item) => typeof item === "boolean");
    case "int[]":
    case "double[]":
      return Array.isArray(value) && value.every((item) => Number.isFinite(item));
  }
}

/** Names of top-level fields; among the attributes they are an older writer's. */
const besideNames: ReadonlySet<string> = new Set(
  registryRows.filter((row) => row.slot !== "attributes").map((row) => row.event),
);

/** Registered attributes must have their type; unregistered ones are never read. */
function hasAttributes(value: unknown): boolean {
  if (!isRecord(value)) return false;
  for (const name in value) {
    const type = attributeTypes.get(name);
    const held = value[name];
    if (held === undefined) continue;
    if (type === undefined) {
      if (besideNames.has(name)) return false;
      continue;
    }
    if (!hasType(held, type) && !(name === "acknowledged" && held === null)) return false;
  }
  return true;
}

function hasIdentity(event: Untyped<TurnEvent>): boolean {
  return (
    isText(event.application_id) &&
    isText(event.agent_id) &&
    (event.user_id === null || isText(event.user_id)) &&
    isText(event.memory_id) &&
    isText(event.thread_id) &&
    isText(event.run_id) &&
    isText(event.turn_id) &&
    isText(event.root_trace_id) &&
    isText(event.task_id)
  );
}

function hasSpan(event: Untyped<TurnEvent>): boolean {
  return (
    isText(event.span_id) &&
    isText(event.parent_span_id) &&
    isFlag(event.parent_remote) &&
    isText(event.caused_by_event_id) &&
    isListOf(event.links, isRecord)
  );
}

function hasOrigin(event: Untyped<TurnEvent>): boolean {
  return (
    isText(event.external_id) &&
    isText(event.operation) &&
    isText(event.component) &&
    isText(event.service_name) &&
    isText(event.ingest_principal) &&
    isFlag(event.ingest_trusted) &&
    isText(event.producer_id) &&
    isNumber(event.producer_seq) &&
    isNumber(event.revision) &&
    isFlag(event.contested) &&
    isText(event.source_store) &&
    isText(event.dialect) &&
    isListOf(event.identity_derived, isString)
  );
}

/** True when the value is a normalized event whose every field has its type. */
export function isTurnEvent(value: unknown): value is TurnEvent {
  if (!isRecord(value)) return false;
  const event = value as Untyped<TurnEvent>;
  return (
    (event.schema_version === 3 || event.schema_version === 2 || event.schema_version === 1) &&
    typeof event.event_id === "string" &&
    event.event_id !== "" &&
    kinds.has(event.event_kind) &&
    phases.has(event.phase) &&
    statuses.has(event.status) &&
    isTime(event.timestamp) &&
    (event.started_at === undefined || isTime(event.started_at)) &&
    (event.received_at === undefined || isTime(event.received_at)) &&
    isNumber(event.duration_ms) &&
    hasAttributes(event.attributes) &&
    hasIdentity(event) &&
    hasSpan(event) &&
    hasOrigin(event) &&
    isListOf(event.input_refs, isRef) &&
    isListOf(event.output_refs, isRef) &&
    isListOf(event.selection_ledger, isEntry) &&
    (event.dropped === undefined || isRecord(event.dropped))
  );
}
