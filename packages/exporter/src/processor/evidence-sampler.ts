/**
 * @module Evidence sampler: a sampler around the app's own. Spans that do not record never reach a
 * processor, so the only place where evidence can be kept is here (design 3.8, 6). What the app's
 * sampler refuses and we keep is recorded without the sampled flag: other exporters leave it alone.
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
  /** Which evidence is kept whatever the app's sampler says; default: all of it. */
  readonly keep?: (kind: EventKind) => boolean;
  /** Called for evidence that is not kept; a processor counts it as `sampled_out`. */
  readonly onSampledOut?: (kind: EventKind) => void;
}

/**
 * Wraps a sampler so that evidence is always recorded. Evidence is known by the attributes a span
 * starts with; a library that says what its span is only at its end is sampled as the app says.
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
        // Thrown from here it would reach whoever starts a span.
        diag.warn("turnproof: span_unmapped");
      }
      return result;
    },
    toString: () => `EvidenceSampler{${inner.toString()}}`,
  };
}
