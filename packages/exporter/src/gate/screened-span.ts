/**
 * @module Screened span: a span of which only registry content is left. It is a new object; the
 * original is never changed, because other processors hold it too.
 */
import type { Attributes, Link, SpanContext } from "@opentelemetry/api";
import { attribute, otlpNames, ownPrefix, ownSpanNames, screenValue } from "@turnproof/semconv";

import { decideKind } from "../mapping/kind-decision.ts";
import type { KindDecision } from "../mapping/kind-decision.ts";
import { planFor } from "../mapping/sources.ts";
import { operationFor } from "../mapping/span-to-event.ts";
import type { SpanRecord } from "../mapping/span-record.ts";
import { screenedAttributes } from "./screened-attributes.ts";
import type { CountDrop, IdentityRules } from "./screened-attributes.ts";
import type { ReadableSpanLike, ResourceLike, ScopeLike, SpanEventLike } from "./sdk-shapes.ts";
import { leavingScopeName } from "./scope-name.ts";
import { spanRecordOf } from "./span-record-of.ts";

/** A resource as exporters read it, without anything that resolves later. */
interface ScreenedResource extends ResourceLike {
  readonly asyncAttributesPending: false;
  merge(): ScreenedResource;
  getRawAttributes(): [string, unknown][];
}

/** What a gate keeps from span to span: resources and scopes are shared by many. */
export interface GateMemory {
  readonly resources: WeakMap<ResourceLike, ResourceLike>;
  readonly scopes: Map<string, ScopeLike>;
}

const scopesMax = 1_000;

/** Names of our own spans by kind. */
const ownNames: Readonly<Record<string, string>> = ownSpanNames;

/** A span that may leave, and its drops counted. */
export function screenedSpan(
  span: ReadableSpanLike,
  rules: IdentityRules,
  memory: GateMemory,
  drop: CountDrop,
): ReadableSpanLike {
  const record = spanRecordOf(span);
  for (const [code, count] of Object.entries(record.dropped ?? {})) {
    for (let times = 0; times < count; times++) drop(code);
  }
  const decision = decideKind(record);
  const attributes = screenedAttributes(record.attributes, decision, rules, drop);
  const context = bareContext(span.spanContext());
  const parent = span.parentSpanContext && bareContext(span.parentSpanContext);
  const name = nameOf(record, decision);
  if (name !== span.name) drop("span_name_replaced");
  if (span.status.message !== undefined && span.status.message !== "") {
    drop("span_status_message_dropped");
  }
  const lost = Object.keys(span.attributes).length - Object.keys(attributes).length;
  return {
    name,
    kind: span.kind,
    spanContext: () => context,
    ...(parent === undefined ? {} : { parentSpanContext: parent }),
    ...(record.parentSpanId === undefined ? {} : { parentSpanId: record.parentSpanId }),
    startTime: span.startTime,
    endTime: span.endTime,
    status: { code: span.status.code },
    attributes,
    links: linksOf(span, drop),
    events: eventsOf(span, drop),
    duration: span.duration,
    ended: span.ended,
    resource: resourceOf(span.resource, rules, memory, drop),
    instrumentationScope: scopeOf(span.instrumentationScope, memory, drop),
    droppedAttributesCount: span.droppedAttributesCount + Math.max(0, lost),
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}

/** A trace state is free text of whoever was upstream. */
function bareContext(context: SpanContext): SpanContext {
  const { traceId, spanId, traceFlags, isRemote } = context;
  return isRemote === undefined
    ? { traceId, spanId, traceFlags }
    : { traceId, spanId, traceFlags, isRemote };
}

/** The registry's name for the kind; a name of ours keeps its prefix. */
function nameOf(record: SpanRecord, decision: KindDecision): string {
  const operation = operationFor(record, decision);
  return ownNames[decision.kind] === undefined ? operation : `${ownPrefix}${operation}`;
}

function linksOf(span: ReadableSpanLike, drop: CountDrop): Link[] {
  return span.links.map((link) => {
    const named = Object.keys(link.attributes ?? {}).length;
    for (let times = 0; times < named; times++) drop("span_link_attribute_dropped");
    return { context: bareContext(link.context) };
  });
}

/** Of all events only the class of an exception says something that is no content. */
function eventsOf(span: ReadableSpanLike, drop: CountDrop): SpanEventLike[] {
  const kept: SpanEventLike[] = [];
  for (const event of span.events) {
    const type: unknown = event.attributes?.[otlpNames.exceptionType];
    const names = Object.keys(event.attributes ?? {}).length;
    const passes = type !== undefined && screenValue(attribute.error_type, type) === undefined;
    const lost = passes ? names - 1 : names;
    for (let times = 0; times < lost; times++) drop("attribute_unknown");
    if (!passes) {
      drop("span_event_dropped");
      continue;
    }
    const attributes: Attributes = { [otlpNames.exceptionType]: type };
    kept.push({
      name: otlpNames.exceptionEvent,
      time: event.time,
      attributes,
      droppedAttributesCount: lost,
    });
  }
  return kept;
}

function resourceOf(
  resource: ResourceLike,
  rules: IdentityRules,
  memory: GateMemory,
  drop: CountDrop,
): ResourceLike {
  const held = memory.resources.get(resource);
  if (held !== undefined) return held;
  const structure: KindDecision = {
    kind: "span",
    plan: planFor("structural"),
    operation: undefined,
  };
  const { attributes: all } = resource;
  const readable: Record<string, never> = { ...(all as Record<string, never>) };
  const attributes = screenedAttributes(readable, structure, rules, drop);
  const screened: ScreenedResource = {
    attributes,
    asyncAttributesPending: false,
    waitForAsyncAttributes: async () => {},
    merge: () => screened,
    getRawAttributes: () => Object.entries(attributes),
  };
  if (resource.asyncAttributesPending !== true) memory.resources.set(resource, screened);
  return screened;
}

function scopeOf(scope: ScopeLike, memory: GateMemory, drop: CountDrop): ScopeLike {
  const key = `${scope.name} ${scope.version ?? ""}`;
  const held = memory.scopes.get(key);
  if (held !== undefined) return held;
  const name = leavingScopeName(scope.name);
  if (name !== scope.name) drop("span_scope_dropped");
  const version = name === "" ? "" : (scope.version ?? "");
  const passes = screenValue(attribute.instrumentation_version, version) === undefined;
  const screened: ScopeLike = { name, ...(passes ? { version } : {}) };
  if (memory.scopes.size >= scopesMax) memory.scopes.clear();
  memory.scopes.set(key, screened);
  return screened;
}
