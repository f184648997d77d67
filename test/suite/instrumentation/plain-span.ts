/** @module Plain span: the identity of a finished span, as data that crosses threads. */
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { attribute } from "@turnproof/semconv";

/** Whose a span is. */
export interface PlainSpan {
  readonly name: string;
  readonly kind: unknown;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly turnId: unknown;
  readonly userId: unknown;
  readonly threadId: unknown;
  readonly status: unknown;
  readonly supplied: unknown;
}

export function plainSpan(span: ReadableSpan): PlainSpan {
  const { attributes } = span;
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    kind: attributes[attribute.event_kind.span],
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    turnId: attributes[attribute.turn_id.span],
    userId: attributes[attribute.user_id.span],
    threadId: attributes[attribute.thread_id.span],
    status: attributes[attribute.status.span],
    supplied: attributes[attribute.supplied_count.span],
  };
}
