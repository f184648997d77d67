/**
 * @module A clock that a story moves on by itself, and a sink that writes what the instrumentation
 * records as OTLP spans of that clock. Only times differ; every span is the real one.
 */
import { randomBytes } from "node:crypto";

import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { attribute } from "@turnproof/semconv";
import type { EvidenceSink } from "@turnproof/instrumentation";

import type { PlainSpan, PlainValue } from "../../otlp/encode.ts";

/** The time of a story, in milliseconds since the epoch; fractions are kept. */
export class StoryClock {
  nowMs: number;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.nowMs += ms;
  }

  /** Now, as OTLP writes it. */
  get nano(): string {
    return String(BigInt(Math.round(this.nowMs * 1_000)) * 1_000n);
  }
}

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");

/** A sink on a story's clock; `spans` is what it wrote so far. */
export function storySink(clock: StoryClock): EvidenceSink & { readonly spans: PlainSpan[] } {
  const spans: PlainSpan[] = [];
  return {
    spans,
    start: ({ name, kind, attributes, parent }) => {
      const above = trace.getSpanContext(parent);
      const known = above !== undefined && trace.isSpanContextValid(above);
      const spanContext = {
        traceId: known ? above.traceId : hex(16),
        spanId: hex(8),
        traceFlags: 1,
      };
      const begun = clock.nano;
      return {
        spanContext,
        context: trace.setSpan(parent, trace.wrapSpanContext(spanContext)),
        end: ({ status, attributes: last = {}, errorType }) => {
          spans.push({
            traceId: spanContext.traceId,
            spanId: spanContext.spanId,
            ...(known ? { parentSpanId: above.spanId } : {}),
            name,
            // OTLP counts kinds from one.
            kind: kind + 1,
            startTimeUnixNano: begun,
            endTimeUnixNano: clock.nano,
            attributes: {
              ...(attributes as Record<string, PlainValue>),
              ...(last as Record<string, PlainValue>),
              [attribute.status.span]: status,
              ...(errorType === undefined ? {} : { [attribute.error_type.span]: errorType }),
            },
            ...(status === "error" ? { status: { code: 2 } } : {}),
            scope: { name: "@turnproof/instrumentation", version: "0.1.0" },
          });
          return Promise.resolve();
        },
      };
    },
  };
}

/** A context without any turn in it. */
export const outside = ROOT_CONTEXT;
