/**
 * @module BundleDecode: decodes the events of a packed body. Strict: a body that the encoder
 * cannot have written is refused as a whole with `bundle_invalid`, so that no unregistered key
 * enters through a store (vocabulary: Identity); the body replaces the columns' constraints.
 */
import { isTurnEvent } from "@turnproof/evidence";
import { CodedError, dialects, isoOfInstant, isoOfMicros, limits } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { areAttributes, hasNestedShapes } from "./nested.ts";
import { bodyVersion, rareFields, restNames, sharedFields, slot, absentField } from "./fields.ts";

const nanosPerSecond = 1_000_000_000;
const nanosPerMs = 1_000_000;
const digits = 9;

const headNames: ReadonlySet<string> = new Set(sharedFields);
const eventNames: ReadonlySet<string> = new Set([...sharedFields, ...rareFields]);
const ownNames: ReadonlySet<string> = new Set([...sharedFields, ...rareFields, ...restNames]);

const dialectNames: ReadonlySet<unknown> = new Set(dialects);
const storeNames: ReadonlySet<unknown> = new Set(["trace", "conversation", "tool_log"]);

type Fields = Record<string, unknown>;

interface SegmentContext {
  /** The root and the head's fields. */
  readonly stated: Fields;
  /** The same without some of them, by their names: events of one kind lack the same ones. */
  readonly lacking: Map<string, Fields>;
  readonly received: number;
  readonly base: number;
}

/** The events of a root's body, as recorded. @throws CodedError `bundle_invalid` */
export function decodeBody(root: string, body: string): StoredEvent[] {
  const events: StoredEvent[] = [];
  const parsed = parse(body);
  if (!Array.isArray(parsed) || parsed[0] !== bodyVersion || parsed.length < 2) refuse();
  for (let at = 1; at < parsed.length; at += 1) decodeSegment(root, parsed[at], events);
  return events;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return refuse();
  }
}

function refuse(): never {
  throw new CodedError("bundle_invalid");
}

function decodeSegment(root: string, segment: unknown, events: StoredEvent[]): void {
  if (!Array.isArray(segment) || segment.length < 4) refuse();
  const [received, base, head] = segment as unknown[];
  if (!Number.isSafeInteger(received) || !Number.isSafeInteger(base)) refuse();
  if (!isFields(head, headNames)) refuse();
  // Events of an earlier version may be without a root: they are under the empty one.
  const stated = root === "" ? { ...head } : { root_trace_id: root, ...head };
  const context: SegmentContext = {
    stated,
    lacking: new Map(),
    received: received as number,
    base: base as number,
  };
  // The head's values are those of the first event, so each is validated with an event.
  if (sharedFields.some((field) => restOf(segment[3])[field] !== undefined)) refuse();
  for (let at = 3; at < segment.length; at += 1) events.push(decodeEvent(segment[at], context));
}

function restOf(packed: unknown): Fields {
  const rest: unknown = Array.isArray(packed) ? (packed[slot.rest] ?? {}) : undefined;
  return isFields(rest, ownNames) ? rest : refuse();
}

function isFields(value: unknown, names: ReadonlySet<string>): value is Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const name in value) if (!names.has(name)) return false;
  return true;
}

function decodeEvent(packed: unknown, context: SegmentContext): StoredEvent {
  if (!Array.isArray(packed) || packed.length < slot.rest || packed.length > slot.rest + 1)
    refuse();
  const rest = restOf(packed);
  const event = withOwn(context, rest);
  const { received, base } = context;
  event["event_kind"] = packed[slot.kind];
  event["phase"] = packed[slot.phase];
  event["status"] = packed[slot.status];
  const { [slot.span]: span, [slot.parent]: parent, [slot.operation]: name } = packed as unknown[];
  // By their names: a store under a name that varies is several times as slow.
  if (isGiven(span)) event["span_id"] = span;
  if (isGiven(parent)) event["parent_span_id"] = parent;
  if (isGiven(name)) event["operation"] = name;
  if (isGiven(packed[slot.seq])) event["producer_seq"] = packed[slot.seq];
  const spanId = (event["span_id"] as string | undefined) ?? "";
  event["event_id"] = rest["event_id"] ?? `${spanId}:${String(event["phase"])}`;
  decodeTimes(event, { end: packed[slot.end], took: packed[slot.took], rest, base });
  const later = rest["received"] ?? 0;
  if (!Number.isSafeInteger(later)) refuse();
  event["received_at"] = receiptOf(received + (later as number));
  event["attributes"] = attributesOf(packed[slot.attributes]);
  if (!isTurnEvent(event) || !hasNestedShapes(event) || !withinCaps(event)) refuse();
  return event as unknown as StoredEvent;
}

/** The event's own fields over those of the head. */
function withOwn({ stated, lacking }: SegmentContext, rest: Fields): Fields {
  let absent = "";
  for (const name in rest) {
    if (rest[name] === absentField && eventNames.has(name)) absent += `${name} `;
  }
  let head = absent === "" ? stated : lacking.get(absent);
  if (head === undefined) {
    const names = absent.split(" ");
    head = Object.fromEntries(Object.entries(stated).filter(([name]) => !names.includes(name)));
    lacking.set(absent, head);
  }
  const event = { ...head };
  for (const name in rest) {
    if (eventNames.has(name) && rest[name] !== absentField) event[name] = rest[name];
  }
  return event;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

interface Times {
  readonly end: unknown;
  readonly took: unknown;
  readonly rest: Fields;
  readonly base: number;
}

function decodeTimes(event: Fields, { end, took, rest, base }: Times): void {
  if (typeof end === "number") event["timestamp"] = timeOf(base, end);
  else event["timestamp"] = end;
  let duration: unknown;
  if (typeof took === "number") {
    if (typeof end !== "number") refuse();
    event["started_at"] = timeOf(base, end - took);
    duration = took / nanosPerMs;
  } else {
    if (took !== null) refuse();
    if (rest["started_at"] !== undefined) event["started_at"] = rest["started_at"];
  }
  if (rest["duration_ms"] !== undefined) duration = rest["duration_ms"] ?? undefined;
  if (duration !== undefined) event["duration_ms"] = duration;
}

function timeOf(base: number, nanos: number): string {
  if (!Number.isSafeInteger(nanos)) refuse();
  const whole = Math.floor(nanos / nanosPerSecond);
  return written(() =>
    isoOfInstant({ seconds: base + whole, nanos: nanos - whole * nanosPerSecond }, digits),
  );
}

function receiptOf(micros: number): string {
  return written(() => isoOfMicros(micros));
}

/** A number that is no time has no text. */
function written(text: () => string): string {
  try {
    return text();
  } catch {
    return refuse();
  }
}

function attributesOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse();
  if (!areAttributes(value as Fields)) refuse();
  return value as Fields;
}

const texts = [...sharedFields, "root_trace_id", "event_id", "span_id", "parent_span_id"] as const;
const moreTexts = ["external_id", "caused_by_event_id", "operation"] as const;

/** The text caps (requirements: Limits) and the closed values of an event's own fields. */
function withinCaps(event: Fields): boolean {
  for (const name of texts) if (isTooLong(event[name])) return false;
  for (const name of moreTexts) if (isTooLong(event[name])) return false;
  const { dialect, source_store: store } = event;
  return (
    (dialect === undefined || dialectNames.has(dialect)) &&
    (store === undefined || storeNames.has(store))
  );
}

function isTooLong(value: unknown): boolean {
  return typeof value === "string" && value.length > limits.stringCharsMax;
}
