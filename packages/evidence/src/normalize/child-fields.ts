/**
 * @module ChildFields: an event's own fields beyond kind, time and identity: extent, place in the
 * trace, and origin. A field with an unusable value is left out and reported as a flaw; an absent
 * one stays absent.
 */
import {
  attribute,
  compareTimes,
  dialects,
  elapsedMs,
  epochToTime,
  identityFields,
  isRecord,
  limits,
  normalizeTime,
  operationPattern,
  screenValue,
} from "@turnproof/semconv";
import type { Dialect, UntypedRecord } from "@turnproof/semconv";

import type { SpanLink, TurnEvent } from "../event/event.ts";
import { isUsableId } from "./normalization-findings.ts";

/** An event while it is read. */
export type PartialEvent = { -readonly [K in keyof TurnEvent]?: TurnEvent[K] } & {
  attributes: TurnEvent["attributes"];
};
type Flaw = () => void;

/** The first of several fields with a value. */
function first(record: UntypedRecord, names: readonly string[]): unknown {
  for (const name of names) {
    const value = record[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** A time as text; for older writers also an epoch number with a clear unit. */
function readTime(value: unknown, legacy: boolean): string | undefined {
  if (typeof value === "string") {
    return normalizeTime(value) ?? (legacy ? epochToTime(value) : undefined);
  }
  return legacy && typeof value === "number" ? epochToTime(value) : undefined;
}

/** Start and duration; older writers also recorded seconds and an end. */
export function addExtent(
  partial: PartialEvent,
  child: UntypedRecord,
  legacy: boolean,
  flaw: Flaw,
): void {
  const start = child["started_at"] ?? (legacy ? child["start_time"] : undefined) ?? undefined;
  const received = child["received_at"] ?? undefined;
  const startedAt = start === undefined ? undefined : readTime(start, legacy);
  const receivedAt = received === undefined ? undefined : readTime(received, legacy);
  if (startedAt !== undefined) partial.started_at = startedAt;
  else if (start !== undefined) flaw();
  if (receivedAt !== undefined) partial.received_at = receivedAt;
  else if (received !== undefined) flaw();
  const duration = legacy ? legacyDuration(child) : (child["duration_ms"] ?? undefined);
  if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) {
    partial.duration_ms = duration;
  } else if (duration !== undefined) flaw();
  if (legacy) addEnd(partial, child, startedAt);
}

/** The end of a result is its time; with a start it gives a duration as well. */
function addEnd(partial: PartialEvent, child: UntypedRecord, startedAt: string | undefined): void {
  const endedAt = readTime(first(child, ["ended_at", "end_time"]), true);
  if (endedAt === undefined) return;
  if (partial.phase === "result") partial.timestamp = endedAt;
  if (partial.duration_ms !== undefined || startedAt === undefined) return;
  const elapsed = compareTimes(endedAt, startedAt) < 0 ? undefined : elapsedMs(startedAt, endedAt);
  if (elapsed !== undefined) partial.duration_ms = elapsed;
}

function legacyDuration(child: UntypedRecord): unknown {
  const places = [child, child["attributes"], child["data"]].filter(isRecord);
  for (const place of places) {
    const ms = first(place, ["duration_ms", "elapsed_ms", "latency_ms"]);
    if (ms !== undefined) return ms;
    const seconds = first(place, ["duration_seconds", "duration_s"]);
    if (typeof seconds === "number") return seconds * 1000;
  }
  return undefined;
}

/** Its place among the spans. */
export function addPlacement(
  partial: PartialEvent,
  child: UntypedRecord,
  legacy: boolean,
  flaw: Flaw,
): void {
  if (!legacy) addCurrentPlace(partial, child, flaw);
  else addLegacyPlace(partial, child, flaw);
  if (typeof child["parent_remote"] === "boolean") partial.parent_remote = child["parent_remote"];
  const links = child["links"];
  if (links === undefined || links === null) return;
  const read = Array.isArray(links) ? links.slice(0, 32).flatMap(readLink) : [];
  if (read.length > 0) partial.links = read;
  if (!Array.isArray(links) || read.length < links.length) flaw();
}

/** True for a valid task label: an identifier that the guard admits. */
export function isTaskId(value: unknown): value is string {
  return isUsableId(value) && screenValue(attribute.task_id, value) === undefined;
}

const placeNames = [
  ["span_id", "span"],
  ["parent_span_id", "parent_id"],
  ["caused_by_event_id", "caused_by"],
] as const;

function addCurrentPlace(partial: PartialEvent, child: UntypedRecord, flaw: Flaw): void {
  for (const [name] of placeNames) setId(partial, name, child[name], flaw);
}

function addLegacyPlace(partial: PartialEvent, child: UntypedRecord, flaw: Flaw): void {
  for (const [name, older] of placeNames) setId(partial, name, child[name] ?? child[older], flaw);
}

type IdField = (typeof placeNames)[number][0] | (typeof originTexts)[number];

function setId(partial: PartialEvent, name: IdField, value: unknown, flaw: Flaw): void {
  if (value === undefined || value === null) return;
  if (isUsableId(value)) partial[name] = value;
  else flaw();
}

function readLink(link: unknown): SpanLink[] {
  if (!isRecord(link) || !isUsableId(link["trace_id"]) || !isUsableId(link["span_id"])) return [];
  return [{ trace_id: link["trace_id"], span_id: link["span_id"] }];
}

const originTexts = ["external_id", "ingest_principal", "producer_id", "service_name"] as const;
const dialectNames: ReadonlySet<unknown> = new Set(dialects);
const componentsMax = 1_024;
const components = new Set<unknown>();
const componentPattern = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,119}$/;

/** Origin and names; a foreign operation name is content. */
export function addOrigin(
  partial: PartialEvent,
  child: UntypedRecord,
  legacy: boolean,
  flaw: Flaw,
): void {
  for (const name of originTexts) setId(partial, name, child[name], flaw);
  const operation = child["operation"] ?? undefined;
  if (isOperation(operation)) partial.operation = operation;
  else if (isOlderOperation(operation))
    partial.operation = operation.slice(0, operation.indexOf(" "));
  else if (operation !== undefined && !legacy) flaw();
  const component = child["component"] ?? undefined;
  if (isComponent(component)) partial.component = component;
  else if (component !== undefined && !legacy) flaw();
  if (typeof child["ingest_trusted"] === "boolean")
    partial.ingest_trusted = child["ingest_trusted"];
  if (child["contested"] === true) partial.contested = true;
  addCounters(partial, child, flaw);
  if (legacy) {
    partial.dialect = "legacy";
    return;
  }
  const dialect = child["dialect"] ?? undefined;
  if (isDialect(dialect)) partial.dialect = dialect;
  else if (dialect !== undefined) flaw();
  addDerived(partial, child, flaw);
}

/** True for the name of a dialect. */
export function isDialect(value: unknown): value is Dialect {
  return dialectNames.has(value);
}

/** True for the name of a component; names that passed are cached. */
export function isComponent(value: unknown): value is string {
  if (components.has(value)) return true;
  if (typeof value !== "string" || !componentPattern.test(value)) return false;
  if (components.size >= componentsMax) components.clear();
  components.add(value);
  return true;
}

/** Names like `chat claude-4`: an operation, with at most an agent or a model as its subject. */
export function isOperation(text: unknown): text is string {
  if (typeof text !== "string") return false;
  if (passedOperations.has(text)) return true;
  if (text.length > limits.stringCharsMax || !hasOperationForm(text)) return false;
  if (passedOperations.size >= passedMax) passedOperations.clear();
  passedOperations.add(text);
  return true;
}

/** A standard operation with a subject that an older guard admitted: the subject is dropped. */
function isOlderOperation(text: unknown): text is string {
  if (typeof text !== "string" || text.length > limits.stringCharsMax) return false;
  return /^(?:invoke_agent|execute_tool) [^\n]+$/.test(text);
}

/** Operations that passed; a turn repeats a handful of them. */
const passedOperations = new Set<string>();
const passedMax = 4_096;

function hasOperationForm(text: string): boolean {
  const space = text.indexOf(" ");
  if (!operationPattern.test(space === -1 ? text : text.slice(0, space))) return false;
  const subject = text.slice(space + 1);
  return (
    space === -1 ||
    screenValue(attribute.agent_name, subject) === undefined ||
    screenValue(attribute.model, subject) === undefined
  );
}

function addCounters(partial: PartialEvent, child: UntypedRecord, flaw: Flaw): void {
  for (const name of ["producer_seq", "revision"] as const) {
    const value = child[name] ?? undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)
      partial[name] = value;
    else if (value !== undefined) flaw();
  }
  const dropped = child["dropped"] ?? undefined;
  if (dropped === undefined) return;
  const counts = isRecord(dropped) ? Object.entries(dropped) : [];
  const known = counts.filter(([code, count]) => isDropCount(code, count));
  if (known.length > 0) partial.dropped = Object.fromEntries(known) as Record<string, number>;
  if (!isRecord(dropped) || known.length < counts.length) flaw();
}

/** True for a refusal code with a valid count. */
export function isDropCount(code: string, count: unknown): boolean {
  return /^[a-z][a-z_]{0,63}$/.test(code) && Number.isSafeInteger(count);
}

function addDerived(partial: PartialEvent, child: UntypedRecord, flaw: Flaw): void {
  const derived = child["identity_derived"] ?? undefined;
  if (derived === undefined) return;
  const named = new Set<unknown>(Array.isArray(derived) ? derived : []);
  const known = identityFields.filter((field) => named.has(field));
  if (known.length > 0) partial.identity_derived = known;
  if (!Array.isArray(derived) || known.length < named.size) flaw();
}
