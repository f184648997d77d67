/**
 * @module Event request: events as an OTLP trace request, the inverse of `spanToEvent`: a collector
 * that receives it has the same events. An event passed the guard when it was received, so it is
 * written as it is; what a receiver adds (principal, time of receipt) is left out.
 */
import type { TurnEvent } from "@turnproof/evidence";
import {
  attribute,
  forwardedOrigins,
  forwardedScope,
  ledgerToAttributes,
  otlpNames,
  ownPrefix,
  ownSpanNames,
  refsToAttributes,
} from "@turnproof/semconv";
import type { AttributeName, AttributeValue, Instant } from "@turnproof/semconv";
import { sha256Hex } from "@turnproof/semconv/fingerprint";

import { hasIds } from "../gate/screened-span.ts";
import type { ResourceLike, ScopeLike } from "../gate/sdk-shapes.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { writeKeyValue } from "./key-value.ts";
import { RequestWriter } from "./trace-request.ts";
import type { TraceRequest } from "./trace-request.ts";

/** A request, and the number of events that are not in it: their ids are not those of spans. */
export interface EventRequest extends TraceRequest {
  readonly skipped: number;
}

/** Tags of the messages `ScopeSpans`, `Span`, `Span.Link` and `Status`. */
const tags = {
  span: 0x12,
  traceId: 0x0a,
  spanId: 0x12,
  parentSpanId: 0x22,
  name: 0x2a,
  kind: 0x30,
  start: 0x39,
  end: 0x41,
  attribute: 0x4a,
  link: 0x6a,
  status: 0x7a,
  statusCode: 0x18,
} as const;

/** Field 16 has a tag of two bytes. */
const flagsTag = [0x85, 0x01] as const;
/** Flags: it is known whether the parent is remote, and it is. */
const remoteParent = 0x300;

/** One scope of each origin, so that a collector that receives it keeps dialect and trust. */
const scopes: ReadonlyMap<string, ScopeLike> = new Map(
  forwardedOrigins.map((origin) => [forwardedScope(origin), { name: forwardedScope(origin) }]),
);
/** Span kinds on the wire by the side that an operation names. */
const sides: Readonly<Record<string, number>> = { server: 2, client: 3 };
const internalKind = 1;
const identityNames = ["memory_id", "thread_id", "run_id", "turn_id", "task_id"] as const;
const ownNames: Readonly<Record<string, string>> = ownSpanNames;

/** The request of these events. */
export function eventRequest(events: readonly TurnEvent[]): EventRequest {
  const request = new RequestWriter();
  const resources = new Map<string, ResourceLike>();
  let skipped = 0;
  for (const event of events) {
    const ids = idsOf(event);
    if (ids === undefined) {
      skipped += 1;
      continue;
    }
    const { application_id: application = "" } = event;
    let resource = resources.get(application);
    if (resource === undefined) {
      const stated = application === "" ? {} : { [attribute.application_id.span]: application };
      resources.set(application, (resource = { attributes: stated }));
    }
    const to = request.writerFor(resource, scopeOf(event));
    to.byte(tags.span);
    const message = to.open(2);
    writeSpan(to, event, ids);
    to.close(message, 2);
    request.wrote();
  }
  return { ...request.finish(), skipped };
}

function scopeOf({ dialect = "turnproof", ingest_trusted: trusted }: TurnEvent): ScopeLike {
  const name = forwardedScope({ dialect, isTrusted: trusted !== false });
  return scopes.get(name) ?? { name };
}

interface Ids {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * The ids of an event's span. The start of a span has an id of its own: two spans of one id are one
 * span to most receivers, and its event id names the span.
 */
function idsOf({ root_trace_id: root = "", span_id: span, event_id }: TurnEvent): Ids | undefined {
  const isSpan = span !== undefined && event_id !== `${span}:start`;
  const spanId = isSpan ? span : sha256Hex(`${root}\n${event_id}`).slice(0, 16);
  const ids = { traceId: root, spanId };
  return hasIds({ ...ids, traceFlags: 1 }) && /[1-9a-f]/.test(root) ? ids : undefined;
}

function writeSpan(to: ByteWriter, event: TurnEvent, { traceId, spanId }: Ids): void {
  const { operation = event.event_kind, parent_span_id: parent } = event;
  writeHex(to, tags.traceId, traceId, 16);
  writeHex(to, tags.spanId, spanId, 8);
  if (parent !== undefined && /^[0-9a-f]{16}$/.test(parent)) {
    writeHex(to, tags.parentSpanId, parent, 8);
  }
  to.byte(tags.name);
  to.text(Object.hasOwn(ownNames, event.event_kind) ? `${ownPrefix}${operation}` : operation);
  to.byte(tags.kind);
  to.varint(sides[operation.split(".").at(-1) ?? ""] ?? internalKind);
  writeTimes(to, event);
  for (const [name, value] of attributesOf(event)) {
    writeKeyValue(to, tags.attribute, name, value);
  }
  for (const link of event.links ?? []) {
    if (!hasIds({ traceId: link.trace_id, spanId: link.span_id, traceFlags: 1 })) continue;
    to.byte(tags.link);
    const message = to.open(1);
    writeHex(to, tags.traceId, link.trace_id, 16);
    writeHex(to, tags.spanId, link.span_id, 8);
    to.close(message, 1);
  }
  writeStatus(to, event.status);
  if (event.parent_remote === true) {
    to.byte(flagsTag[0]);
    to.byte(flagsTag[1]);
    to.fixed32(remoteParent);
  }
}

/** Attributes under the names of spans. */
function attributesOf(event: TurnEvent): readonly (readonly [string, AttributeValue])[] {
  const stated: (readonly [string, AttributeValue])[] = [
    [attribute.event_kind.span, event.event_kind],
    [attribute.phase.span, event.phase],
    [attribute.status.span, event.status],
    [attribute.event_id.span, event.event_id],
  ];
  const put = (name: keyof typeof attribute, value: AttributeValue | null | undefined): void => {
    if (value !== undefined && value !== null) stated.push([attribute[name].span, value]);
  };
  if (event.phase === "event") put("timestamp", event.timestamp);
  // Under the name of the conventions an agent gives way to that of its turn, as it does here.
  if (event.identity_derived?.includes("agent_id") !== true) put("agent_id", event.agent_id);
  else if (event.agent_id !== undefined) stated.push([otlpNames.agentId, event.agent_id]);
  put("user_id", event.user_id);
  if (event.user_id === null) put("scope", "anonymous");
  for (const name of identityNames) put(name, event[name]);
  put("external_id", event.external_id);
  put("caused_by_event_id", event.caused_by_event_id);
  put("component", event.component);
  put("producer_id", event.producer_id);
  put("producer_seq", event.producer_seq);
  for (const [name, value] of Object.entries(event.attributes)) {
    put(name as AttributeName, value);
  }
  const lists = {
    ...refsToAttributes("input", event.input_refs ?? []),
    ...refsToAttributes("output", event.output_refs ?? []),
    ...ledgerToAttributes(event.selection_ledger ?? []),
  };
  return [...stated, ...Object.entries(lists)];
}

function writeHex(to: ByteWriter, tag: number, id: string, bytes: 8 | 16): void {
  to.byte(tag);
  to.hex(id, bytes);
}

/**
 * Start and end. An unknown one of a result stays absent, so that no receiver takes it for a call
 * of 0 ms; a point in time may have been recorded at another time than its span ended.
 */
function writeTimes(to: ByteWriter, event: TurnEvent): void {
  const { phase, timestamp, started_at: started, duration_ms: duration } = event;
  if (phase !== "result" || started !== undefined) {
    writeTime(to, tags.start, instantAt(started ?? timestamp));
  }
  if (phase === "event" && started !== undefined && duration !== undefined) {
    writeTime(to, tags.end, later(instantAt(started), duration));
  } else if (phase !== "result" || duration !== undefined || started !== timestamp) {
    writeTime(to, tags.end, instantAt(timestamp));
  }
}

/** A time of an event: ISO 8601 UTC with up to nine digits of the second. */
function instantAt(time: string): Instant {
  const seconds = Date.parse(`${time.slice(0, 19)}Z`) / 1_000;
  const nanos = Number(/\.(\d{1,9})/.exec(time)?.[1]?.padEnd(9, "0") ?? 0);
  return { seconds: Number.isFinite(seconds) ? Math.max(0, seconds) : 0, nanos };
}

function later({ seconds, nanos }: Instant, milliseconds: number): Instant {
  const whole = Math.floor(milliseconds / 1_000);
  const sum = nanos + Math.round((milliseconds - whole * 1_000) * 1e6);
  const carry = Math.floor(sum / 1e9);
  return { seconds: seconds + whole + carry, nanos: sum - carry * 1e9 };
}

function writeTime(to: ByteWriter, tag: number, { seconds, nanos }: Instant): void {
  to.byte(tag);
  to.nanoseconds(seconds, nanos);
}

function writeStatus(to: ByteWriter, status: TurnEvent["status"]): void {
  const code = status === "error" ? 2 : status === "success" ? 1 : 0;
  if (code === 0) return;
  to.byte(tags.status);
  to.byte(2);
  to.byte(tags.statusCode);
  to.byte(code);
}
