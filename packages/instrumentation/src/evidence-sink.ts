/**
 * @module EvidenceSink: the port that instrumentation writes to. The OpenTelemetry sink writes
 * spans and can only count failures; a store's sink (in `@turnproof/exporter`) is durable and
 * confirms.
 */
import { SpanStatusCode, trace } from "@opentelemetry/api";
import type {
  Attributes,
  Context,
  Link,
  SpanContext,
  SpanKind,
  TimeInput,
} from "@opentelemetry/api";
import { attribute } from "@turnproof/semconv";
import type { AttributeValue, EventStatus } from "@turnproof/semconv";

import { version } from "./version.ts";

/** Attributes by their span name, already screened by the guard. */
export type EvidenceAttributes = Readonly<Record<string, AttributeValue>>;

/** A span that begins now (or at `startTime`). */
export interface EvidenceDraft {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: EvidenceAttributes;
  /** Context whose active span is the parent. */
  readonly parent: Context;
  readonly startTime?: TimeInput;
  readonly links?: readonly Link[];
}

/** How it ended. Exception text is never kept; `errorType` is its class. */
export interface EvidenceResult {
  readonly status: EventStatus;
  readonly attributes?: EvidenceAttributes;
  readonly errorType?: string;
  readonly endTime?: TimeInput;
}

/** A span that has begun; its ids are set at once, so that children and carriers can use them. */
export interface OpenEvidence {
  readonly spanContext: SpanContext;
  /** Context in which this span is the active one. */
  readonly context: Context;
  /** Resolves when the sink has it; rejects where the sink can detect a failure. */
  end(result: EvidenceResult): Promise<void>;
}

/** Destination of evidence. */
export interface EvidenceSink {
  start(draft: EvidenceDraft): OpenEvidence;
}

/**
 * Writes through the global tracer provider, as any instrumentation does. It cannot detect whether
 * a span arrived; the exporter accounts for losses.
 */
export function otelSink(): EvidenceSink {
  return {
    start: (draft) => {
      const tracer = trace.getTracer("@turnproof/instrumentation", version);
      const span = tracer.startSpan(
        draft.name,
        {
          kind: draft.kind,
          attributes: draft.attributes,
          ...(draft.startTime === undefined ? {} : { startTime: draft.startTime }),
          ...(draft.links === undefined ? {} : { links: [...draft.links] }),
        },
        draft.parent,
      );
      return {
        spanContext: span.spanContext(),
        context: trace.setSpan(draft.parent, span),
        end: (result) => {
          span.setAttributes(result.attributes as Attributes);
          span.setAttribute(attribute.status.span, result.status);
          if (result.errorType !== undefined) {
            span.setAttribute(attribute.error_type.span, result.errorType);
          }
          // A status message would be content, so none is set.
          if (result.status === "error") span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(result.endTime);
          return Promise.resolve();
        },
      };
    },
  };
}
