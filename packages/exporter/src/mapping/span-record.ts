/**
 * @module SpanRecord: a span between decoding and mapping. Its maker (the OTLP decoder, or the
 * adapter of an SDK's ReadableSpan) has copied allowlisted keys only and counted everything else.
 * Times are decimal strings of nanoseconds since the epoch.
 */
import type { AttributeValue, Instant } from "@turnproof/semconv";

import type { CodedAttributes } from "./coded-attributes.ts";

/** Attributes by their *source* name (a registry or dialect name), in a null-prototype record. */
export type SourceAttributes = Readonly<Record<string, AttributeValue>>;

/** Refusals by code of the guard, e.g. `attribute_unknown`. */
export type DropCounts = Record<string, number>;

/** A span with allowlisted content only; see the top of this file. */
export interface SpanRecord {
  /** 32 and 16 lower-case hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  /** From the OTLP flags, where they have it. */
  readonly parentRemote?: boolean | undefined;
  /** OTLP span kind: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** Set only when the attributes mark the span as ours, or its name as an agent's or tool's. */
  readonly name?: string | undefined;
  readonly startTimeUnixNano: string;
  /** "0" or absent when the span has not ended. */
  readonly endTimeUnixNano?: string;
  /** 0 unset, 1 ok, 2 error. The message is never read. */
  readonly statusCode: number;
  readonly attributes: SourceAttributes;
  /** Instrumentation scope name, when the dialect tables have it. */
  readonly scopeName?: string | undefined;
  readonly scopeVersion?: string | undefined;
  readonly resource: SourceAttributes;
  /** `exception.type` of the last exception event. */
  readonly exceptionType?: string | undefined;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[] | undefined;
  readonly dropped?: DropCounts | undefined;
}

/**
 * A span as input of the mapping. The mapping keeps no reference to it, so that a decoder may read
 * the next span into the same record.
 */
export interface CurrentSpan extends Omit<SpanRecord, "startTimeUnixNano" | "endTimeUnixNano"> {
  readonly startTimeUnixNano: string | Instant;
  readonly endTimeUnixNano?: string | Instant;
  /** By the number of the source name, where a decoder provides it; `attributes` is empty then. */
  readonly coded?: CodedAttributes | undefined;
}
