/**
 * @module Evidence sampler: wraps the application's sampler. Spans that are not recorded never
 * reach a processor, so evidence can be kept only here (vocabulary: From a span to an event 6).
 * Evidence that the application's sampler drops is recorded without the sampled flag: other
 * exporters ignore it.
 */
import { diag } from "@opentelemetry/api";
import type { Attributes, Context, Link, SpanKind, TraceState } from "@opentelemetry/api";
import type { EventKind } from "@turnproof/semconv";

import { decideKind } from "../mapping/kind-decision.ts";
import type { SourceAttributes } from "../mapping/span-record.ts";

/** The SDK's sampling decisions. */
const notRecord = 0;
const record = 1;

/** The SDK's `SamplingResult` of both lines. */
export interface SamplingResultLike {
  decision: 0 | 1 | 2;
  attributes?: Readonly<Attributes>;
  traceState?: TraceState;
}

/** The SDK's `Sampler` of both lines. */
export interface SamplerLike {
  shouldSample(
    context: Context,
    traceId: string,
    spanName: string,
    spanKind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResultLike;
  toString(): string;
}

/** Options of the evidence sampler. */
export interface EvidenceSamplerOptions {
  /** Which evidence is kept regardless of the application's sampler; default: all of it. */
  readonly keep?: (kind: EventKind) => boolean;
  /** Called for evidence that is not kept; a processor counts it as `sampled_out`. */
  readonly onSampledOut?: (kind: EventKind) => void;
}

/**
 * Wraps a sampler so that evidence is always recorded. Evidence is recognized by the attributes at
 * the start of a span; a span whose library sets them only at its end is sampled as the
 * application decides.
 */
export function evidenceSampler(
  inner: SamplerLike,
  options: EvidenceSamplerOptions = {},
): SamplerLike {
  const { keep, onSampledOut } = options;
  return {
    shouldSample(context, traceId, spanName, spanKind, attributes, links) {
      const result = inner.shouldSample(context, traceId, spanName, spanKind, attributes, links);
      if (result.decision !== notRecord) return result;
      try {
        const { kind } = decideKind({ attributes: attributes as SourceAttributes, statusCode: 0 });
        if (kind === "span") return result;
        if (keep === undefined || keep(kind)) return { ...result, decision: record };
        onSampledOut?.(kind);
      } catch {
        // Thrown from here it would reach the code that starts a span.
        diag.warn("turnproof: span_unmapped");
      }
      return result;
    },
    toString: () => `EvidenceSampler{${inner.toString()}}`,
  };
}
