/**
 * @module NormalEvent: whether normalizing a value would change nothing, decided field by field
 * without building anything. Most events were normalized when they were stored. A value that does
 * not pass is normalized, so a doubt only costs time.
 */
import {
  attribute,
  eventKinds,
  eventPhases,
  eventStatuses,
  identityFields,
  isNormalTime,
  isRecord,
  limits,
  mayCarry,
  provenanceStatuses,
  registryRows,
  screenEntry,
  screenValue,
} from "@turnproof/semconv";
import type { AttributeRow, EventKind, IdentityField, Untyped } from "@turnproof/semconv";

import { isComponent, isDialect, isDropCount, isOperation, isTaskId } from "./child-fields.ts";
import type { EventResource, SourceStore, TurnEvent } from "../event/event.ts";
import { isUsableId } from "./normalization-findings.ts";

const kinds: ReadonlySet<unknown> = new Set(eventKinds);
const phases: ReadonlySet<unknown> = new Set(eventPhases);
const statuses: ReadonlySet<unknown> = new Set(eventStatuses);
const provenances: ReadonlySet<unknown> = new Set(provenanceStatuses);

/**
 * A field counts 1 when normalizing would not change it, 0 when absent, and this otherwise: the
 * sum then never equals the number of the record's keys.
 */
const refused = -1_000;

/** Rows under `attributes` that a kind may carry, by short name; built on its first event. */
const carried: Map<EventKind, ReadonlyMap<string, AttributeRow>> = new Map();

function rowsOf(kind: EventKind): ReadonlyMap<string, AttributeRow> {
  let rows = carried.get(kind);
  if (rows === undefined) {
    const own = registryRows.filter((row) => row.slot === "attributes" && mayCarry(row, kind));
    rows = new Map(own.map((row) => [row.event, row]));
    carried.set(kind, rows);
  }
  return rows;
}

/** An identifier; the previous event's value in this field has passed already. */
function id(value: unknown, before: unknown): number {
  if (value === undefined) return 0;
  return value === before || isUsableId(value) ? 1 : refused;
}

function time(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === "string" && isNormalTime(value) ? 1 : refused;
}

function count(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? 1 : refused;
}

function flag(value: unknown): number {
  return value === undefined ? 0 : typeof value === "boolean" ? 1 : refused;
}

function duration(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === "number" && value >= 0 && value < Infinity ? 1 : refused;
}

function text(value: unknown, passes: (value: unknown) => boolean): number {
  return value === undefined ? 0 : passes(value) ? 1 : refused;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function entry(row: AttributeRow, value: unknown): number {
  if (value === undefined) return 0;
  return value !== "" && screenEntry(row, value) === undefined ? 1 : refused;
}

function isRef(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const ref = value as Untyped<EventResource>;
  if (ref.ref === undefined || ref.resource_type === undefined) return false;
  const fields =
    entry(attribute.input_types, ref.resource_type) +
    entry(attribute.input_refs, ref.ref) +
    entry(attribute.input_versions, ref.version) +
    entry(attribute.input_roles, ref.role) +
    flag(ref.ownership_verified) +
    text(ref.provenance_status, (status) => provenances.has(status));
  return fields === Object.keys(value).length;
}

function isRefs(value: unknown): boolean {
  return Array.isArray(value) && value.length <= limits.listEntriesMax && value.every(isRef);
}

/** Identity field names, at least one, in order and without repetition. */
function isDerived(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  let before = -1;
  for (const field of value) {
    const place = identityFields.indexOf(field as IdentityField);
    if (place <= before) return false;
    before = place;
  }
  return true;
}

function isDropped(value: unknown): boolean {
  if (!isRecord(value) || !isPlain(value)) return false;
  let codes = 0;
  for (const code in value) {
    if (!isDropCount(code, value[code])) return false;
    codes += 1;
  }
  return codes > 0;
}

function isAttributes(value: unknown, kind: EventKind): boolean {
  if (!isRecord(value) || !isPlain(value)) return false;
  const rows = rowsOf(kind);
  let fields = 0;
  for (const name in value) {
    const row = rows.get(name);
    if (row === undefined || (fields += 1) > limits.attributesMax) return false;
    const held = value[name];
    // Normalizing drops absent values; only an acknowledgement may be null.
    if (held === null && kind === "delivery" && row === attribute.acknowledged) continue;
    if (held === undefined || held === null || screenValue(row, held) !== undefined) return false;
  }
  return true;
}

/** The identity fields; only `user_id` may be null. */
function identityOf(event: Untyped<TurnEvent>, before: Untyped<TurnEvent>): number {
  return (
    id(event.application_id, before.application_id) +
    id(event.agent_id, before.agent_id) +
    (event.user_id === null ? 1 : id(event.user_id, before.user_id)) +
    id(event.memory_id, before.memory_id) +
    id(event.thread_id, before.thread_id) +
    id(event.run_id, before.run_id) +
    id(event.turn_id, before.turn_id) +
    id(event.root_trace_id, before.root_trace_id)
  );
}

/** Place and origin of the event. */
function originOf(event: Untyped<TurnEvent>, before: Untyped<TurnEvent>): number {
  return (
    id(event.span_id, before.span_id) +
    id(event.parent_span_id, before.parent_span_id) +
    flag(event.parent_remote) +
    id(event.caused_by_event_id, before.caused_by_event_id) +
    id(event.external_id, before.external_id) +
    id(event.ingest_principal, before.ingest_principal) +
    flag(event.ingest_trusted) +
    (event.contested === undefined ? 0 : event.contested === true ? 1 : refused) +
    id(event.producer_id, before.producer_id) +
    id(event.service_name, before.service_name) +
    count(event.producer_seq) +
    text(event.operation, isOperation) +
    text(event.component, isComponent) +
    text(event.dialect, isDialect) +
    text(event.identity_derived, isDerived) +
    text(event.dropped, isDropped) +
    text(event.task_id, isTaskId)
  );
}

/** Recognizes normal events; caches the last one, because adjacent events share ids. */
export class NormalCheck {
  private before: Untyped<TurnEvent> = {};

  /**
   * True when normalizing the value as an event of this store would return an equal one without a
   * finding. A record with any other field does not pass.
   */
  passes(value: object, store: SourceStore): value is TurnEvent {
    const event = value as Untyped<TurnEvent>;
    // Required fields: schema version, id, kind, phase, status, time, store, revision, attributes.
    if (event.schema_version !== 3 || event.source_store !== store || !isPlain(value)) return false;
    if (!kinds.has(event.event_kind) || !phases.has(event.phase) || !statuses.has(event.status)) {
      return false;
    }
    const own =
      5 +
      id(event.event_id, undefined) +
      time(event.timestamp) +
      count(event.revision) +
      time(event.started_at) +
      time(event.received_at) +
      duration(event.duration_ms);
    if (event.event_id === undefined || event.timestamp === undefined) return false;
    if (event.revision === undefined) return false;
    const fields = own + identityOf(event, this.before) + originOf(event, this.before);
    const all = fields + 1 + text(event.input_refs, isRefs) + text(event.output_refs, isRefs);
    if (all !== Object.keys(value).length) return false;
    if (!isAttributes(event.attributes, event.event_kind as EventKind)) return false;
    this.before = event;
    return true;
  }
}
