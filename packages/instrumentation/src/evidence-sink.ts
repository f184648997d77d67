/**
 * @module EvidenceSink: the port to which the witness hands what it saw. The OpenTelemetry sink
 * writes spans and can only count; a store's sink (in `@turnproof/exporter`) is durable and answers.
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

/** Attributes by their span name, already judged by the guard. */
export type EvidenceAttributes = Readonly<Record<string, AttributeValue>>;

/** A span that begins now (or began at `startTime`). */
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

/** A span that has begun; its ids are known at once, so that children and carriers can name it. */
export interface OpenEvidence {
  readonly spanContext: SpanContext;
  /** Context in which this span is the active one. */
  readonly context: Context;
  /** Settles when the sink has it; rejects where the sink can tell that it has not. */
  end(result: EvidenceResult): Promise<void>;
}

/** Where evidence goes. */
export interface EvidenceSink {
  start(draft: EvidenceDraft): OpenEvidence;
}

/**
 * Writes through the global tracer provider, as any instrumentation does. It cannot know whether a
 * span arrived: the exporter's loss accounting says that.
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
          // The status message would be content, so there is none.
          if (result.status === "error") span.setStatus({ code: SpanStatusCode.ERROR });
          span.end(result.endTime);
          return Promise.resolve();
        },
      };
    },
  };
}
