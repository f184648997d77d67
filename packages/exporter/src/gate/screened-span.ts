/**
 * @module Screened span: a copy of a span with registry content only. The original is never
 * changed, because other processors hold it too.
 */
import type { Attributes, Link, SpanContext } from "@opentelemetry/api";
import { attribute, otlpNames, ownPrefix, ownSpanNames, screenValue } from "@turnproof/semconv";

import { decideKind } from "../mapping/kind-decision.ts";
import type { KindDecision } from "../mapping/kind-decision.ts";
import { operationOf } from "../mapping/operation.ts";
import { planFor } from "../mapping/sources.ts";
import { statedByName } from "../mapping/span-name.ts";
import type { SourceAttributes } from "../mapping/span-record.ts";
import { leavingScopeName } from "./scope-name.ts";
import { AttributeBag } from "./screened-attributes.ts";
import type { AttributeScreen, AttributeSink, CountDrop } from "./screened-attributes.ts";
import type { ReadableSpanLike, ResourceLike, ScopeLike, SpanEventLike } from "./sdk-shapes.ts";

/** A resource as exporters read it, with all attributes settled. */
interface ScreenedResource extends ResourceLike {
  readonly asyncAttributesPending: false;
  merge(): ScreenedResource;
  getRawAttributes(): [string, unknown][];
}

/** What a gate caches between spans: resources and scopes, which many spans share. */
export interface GateMemory {
  readonly screen: AttributeScreen;
  readonly resources: WeakMap<ResourceLike, ResourceLike>;
  readonly scopes: WeakMap<ScopeLike, ScopeLike>;
}

/** Names of our own spans by kind. */
const ownNames: Readonly<Record<string, string>> = ownSpanNames;
const noLinks: readonly Link[] = [];
const noEvents: readonly SpanEventLike[] = [];

/** True for an id of that many hex digits; a loop, because it runs for every span. */
function isHex(text: string, digits: number): boolean {
  if (text.length !== digits) return false;
  for (let at = 0; at < digits; at++) {
    const code = text.charCodeAt(at);
    const letter = code | 32;
    if ((code < 48 || code > 57) && (letter < 97 || letter > 102)) return false;
  }
  return true;
}

/** An id of another form may be any text. */
export function hasIds({ traceId, spanId }: SpanContext): boolean {
  return isHex(traceId, 32) && isHex(spanId, 16);
}

/** The exported copy of a span, its attributes a new object; refusals are counted. */
export function screenedSpan(
  span: ReadableSpanLike,
  memory: GateMemory,
  drop: CountDrop,
): ReadableSpanLike {
  const { screen } = memory;
  const context = bareContext(span.spanContext());
  if (!hasIds(context)) throw new TypeError("span_unmapped");
  const decision = decisionOf(span);
  const bag = new AttributeBag();
  screenAll(span, decision, screen, bag);
  const { lost } = screen;
  const given = parentOf(span);
  return {
    name: leavingName(span, decision, screen, drop),
    kind: span.kind,
    spanContext: () => context,
    parentSpanContext: given && bareContext(given),
    parentSpanId: parentIdOf(span),
    startTime: span.startTime,
    endTime: span.endTime,
    status: { code: span.status.code },
    attributes: bag.attributes,
    links: leavingLinks(span, drop),
    events: leavingEvents(span, drop),
    duration: span.duration,
    ended: span.ended,
    resource: leavingResource(span.resource, memory),
    instrumentationScope: leavingScope(span.instrumentationScope, memory, drop),
    droppedAttributesCount: span.droppedAttributesCount + lost,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}

/**
 * Passes the admitted attributes to the sink, with the part of the span's name that no attribute
 * has.
 */
export function screenAll(
  span: ReadableSpanLike,
  decision: KindDecision,
  screen: AttributeScreen,
  sink: AttributeSink,
): void {
  screen.screen(span.attributes, decision, sink);
  const fromName = statedByName(span, decision);
  if (fromName !== undefined) screen.name(fromName, sink);
}

/** The span's kind; its name is not used for that. */
export function decisionOf(span: ReadableSpanLike): KindDecision {
  return decideKind({
    attributes: span.attributes as SourceAttributes,
    statusCode: span.status.code,
    parentSpanId: parentIdOf(span),
    parentRemote: span.parentSpanContext?.isRemote,
    scopeName: span.instrumentationScope.name,
  });
}

/** The parent's context, when its ids are valid. */
export function parentOf(span: ReadableSpanLike): SpanContext | undefined {
  const given = span.parentSpanContext;
  return given !== undefined && hasIds(given) ? given : undefined;
}

/** The parent's span id, when it is valid. */
export function parentIdOf(span: ReadableSpanLike): string | undefined {
  const parentId = parentOf(span)?.spanId ?? span.parentSpanId;
  return parentId !== undefined && isHex(parentId, 16) ? parentId : undefined;
}

/** The exported name of the span; its attributes were the last to be screened. */
export function leavingName(
  span: ReadableSpanLike,
  decision: KindDecision,
  screen: AttributeScreen,
  drop: CountDrop,
): string {
  const name = nameOf(span, decision, screen);
  if (name !== span.name) drop("span_name_replaced");
  if ((span.status.message ?? "") !== "") drop("span_status_message_dropped");
  return name;
}

/** A trace state is free text from upstream. */
function bareContext(context: SpanContext): SpanContext {
  const { traceId, spanId, traceFlags, isRemote } = context;
  return isRemote === undefined
    ? { traceId, spanId, traceFlags }
    : { traceId, spanId, traceFlags, isRemote };
}

/** The registry's name for the kind; a name of ours keeps its prefix. */
function nameOf(span: ReadableSpanLike, decision: KindDecision, screen: AttributeScreen): string {
  const { name, attributes } = span;
  const operation = operationOf({ kind: span.kind + 1, name, attributes }, decision, screen);
  return ownNames[decision.kind] === undefined ? operation : `${ownPrefix}${operation}`;
}

/** Links without their attributes. */
export function leavingLinks(span: ReadableSpanLike, drop: CountDrop): readonly Link[] {
  if (span.links.length === 0) return noLinks;
  return span.links.flatMap((link) => {
    const named = Object.keys(link.attributes ?? {}).length;
    for (let times = 0; times < named; times++) drop("span_link_attribute_dropped");
    return hasIds(link.context) ? [{ context: bareContext(link.context) }] : [];
  });
}

/** Of all events only the class of an exception is free of content. */
export function leavingEvents(span: ReadableSpanLike, drop: CountDrop): readonly SpanEventLike[] {
  if (span.events.length === 0) return noEvents;
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

/** The exported resource. */
export function leavingResource(resource: ResourceLike, memory: GateMemory): ResourceLike {
  const held = memory.resources.get(resource);
  if (held !== undefined) return held;
  const structure: KindDecision = {
    kind: "span",
    plan: planFor("structural"),
    operation: undefined,
  };
  const bag = new AttributeBag();
  memory.screen.screen(resource.attributes, structure, bag);
  const { attributes } = bag;
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

/** The exported instrumentation scope. */
export function leavingScope(scope: ScopeLike, memory: GateMemory, drop: CountDrop): ScopeLike {
  const held = memory.scopes.get(scope);
  if (held !== undefined) return held;
  const name = leavingScopeName(scope.name);
  if (name !== scope.name) drop("span_scope_dropped");
  const version = name === "" ? "" : (scope.version ?? "");
  const passes = screenValue(attribute.instrumentation_version, version) === undefined;
  const screened: ScopeLike = { name, ...(passes ? { version } : {}) };
  memory.scopes.set(scope, screened);
  return screened;
}
