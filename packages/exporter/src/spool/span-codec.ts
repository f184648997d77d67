/**
 * @module Span codec: screened spans to bytes for the disk and back. Only spans from the gate are
 * written, so the disk has no content.
 */
import type { HrTime, Link, SpanContext } from "@opentelemetry/api";

import type {
  ReadableSpanLike,
  ResourceLike,
  ScopeLike,
  SpanEventLike,
} from "../gate/sdk-shapes.ts";

/** Version of the payload; no other version is read. */
const codecVersion = 1;

interface StoredSpan {
  readonly context: SpanContext;
  readonly parent?: SpanContext;
  readonly name: string;
  readonly kind: number;
  readonly start: HrTime;
  readonly end: HrTime;
  readonly duration: HrTime;
  readonly status: number;
  readonly attributes: ReadableSpanLike["attributes"];
  readonly links: readonly Link[];
  readonly events: readonly SpanEventLike[];
  /** Index into the payload's resources. */
  readonly resource: number;
  readonly scope: ScopeLike;
  readonly dropped: readonly [number, number, number];
}

interface Payload {
  readonly version: number;
  /** Number of numbered evidence spans among them. */
  readonly evidence: number;
  readonly resources: readonly ResourceLike["attributes"][];
  readonly spans: readonly StoredSpan[];
}

/** Encodes spans, with the number of evidence spans among them. */
export function encodeSpans(spans: readonly ReadableSpanLike[], evidence: number): Uint8Array {
  const resources = [...new Set(spans.map((span) => span.resource))];
  const payload: Payload = {
    version: codecVersion,
    evidence,
    resources: resources.map((resource) => resource.attributes),
    spans: spans.map((span) => stored(span, resources.indexOf(span.resource))),
  };
  return new TextEncoder().encode(JSON.stringify(payload));
}

function stored(span: ReadableSpanLike, resource: number): StoredSpan {
  return {
    context: span.spanContext(),
    ...(span.parentSpanContext === undefined ? {} : { parent: span.parentSpanContext }),
    name: span.name,
    kind: span.kind,
    start: span.startTime,
    end: span.endTime,
    duration: span.duration,
    status: span.status.code,
    attributes: span.attributes,
    links: span.links,
    events: span.events,
    resource,
    scope: span.instrumentationScope,
    dropped: [span.droppedAttributesCount, span.droppedEventsCount, span.droppedLinksCount],
  };
}

/** The spans of a payload, or undefined for bytes that this build cannot read. */
export function decodeSpans(
  bytes: Uint8Array,
): { readonly spans: ReadableSpanLike[]; readonly evidence: number } | undefined {
  try {
    const payload = JSON.parse(new TextDecoder().decode(bytes)) as Payload;
    if (payload.version !== codecVersion) return undefined;
    const resources = payload.resources.map(revivedResource);
    const spans = payload.spans.map((span) =>
      revived(span, resources[span.resource] ?? revivedResource({})),
    );
    return { spans, evidence: payload.evidence };
  } catch {
    return undefined;
  }
}

function revivedResource(attributes: ResourceLike["attributes"]): ResourceLike {
  const resource = {
    attributes,
    asyncAttributesPending: false,
    waitForAsyncAttributes: async (): Promise<void> => {},
    merge: (): ResourceLike => resource,
    getRawAttributes: (): [string, unknown][] => Object.entries(attributes),
  };
  return resource;
}

function revived(span: StoredSpan, resource: ResourceLike): ReadableSpanLike {
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => span.context,
    ...(span.parent === undefined
      ? {}
      : { parentSpanContext: span.parent, parentSpanId: span.parent.spanId }),
    startTime: span.start,
    endTime: span.end,
    status: { code: span.status },
    attributes: span.attributes,
    links: span.links,
    events: span.events,
    duration: span.duration,
    ended: true,
    resource,
    instrumentationScope: span.scope,
    droppedAttributesCount: span.dropped[0],
    droppedEventsCount: span.dropped[1],
    droppedLinksCount: span.dropped[2],
  };
}
