/**
 * @module SpanRecord: a span after the door and before the mapping. Whoever makes one (the OTLP
 * decoder, or the adapter of an SDK's ReadableSpan) has copied allowlisted keys only; of everything
 * else it kept a count. Times are decimal strings of nanoseconds since the epoch.
 */
import type { AttributeValue } from "@turnproof/semconv";

import type { CodedAttributes } from "./coded-attributes.ts";

/** Attributes by their *source* name (a registry or dialect name), in a null-prototype record. */
export type SourceAttributes = Readonly<Record<string, AttributeValue>>;

/** Refusals by code of the guard, e.g. `attribute_unknown`. */
export type DropCounts = Record<string, number>;

/** A span as the mapping takes it; see the top of this file. */
export interface SpanRecord {
  /** 32 and 16 lower-case hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** From the OTLP flags, where they say it. */
  readonly parentRemote?: boolean;
  /** OTLP span kind: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** Only when the attributes say that the span is ours; a foreign name is content. */
  readonly name?: string;
  readonly startTimeUnixNano: string;
  /** "0" or absent when the span has not ended. */
  readonly endTimeUnixNano?: string;
  /** 0 unset, 1 ok, 2 error. The message is never read. */
  readonly statusCode: number;
  readonly attributes: SourceAttributes;
  /** The same by the number of the source name, where a decoder knows it. */
  readonly coded?: CodedAttributes;
  /** Instrumentation scope name, when it is one that the dialect tables know. */
  readonly scopeName?: string;
  readonly scopeVersion?: string;
  readonly resource: SourceAttributes;
  /** `exception.type` of the last exception event. */
  readonly exceptionType?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly dropped?: DropCounts;
}
