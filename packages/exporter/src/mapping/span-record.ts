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

/** A time in whole numbers since the epoch; `nanos` is what lies beyond the second. */
export interface UnixTime {
  readonly seconds: number;
  readonly nanos: number;
}

/** A span as it may be kept; see the top of this file. */
export interface SpanRecord {
  /** 32 and 16 lower-case hex digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  /** From the OTLP flags, where they say it. */
  readonly parentRemote?: boolean | undefined;
  /** OTLP span kind: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** Only when the attributes say that the span is ours, or that its name is an agent's or tool's. */
  readonly name?: string | undefined;
  readonly startTimeUnixNano: string;
  /** "0" or absent when the span has not ended. */
  readonly endTimeUnixNano?: string;
  /** 0 unset, 1 ok, 2 error. The message is never read. */
  readonly statusCode: number;
  readonly attributes: SourceAttributes;
  /** Instrumentation scope name, when it is one that the dialect tables know. */
  readonly scopeName?: string | undefined;
  readonly scopeVersion?: string | undefined;
  readonly resource: SourceAttributes;
  /** `exception.type` of the last exception event. */
  readonly exceptionType?: string | undefined;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[] | undefined;
  readonly dropped?: DropCounts | undefined;
}

/**
 * A span as the mapping takes it. The mapping keeps nothing of it, so that a decoder may read the
 * next span into the same record.
 */
export interface SpanAtHand extends Omit<SpanRecord, "startTimeUnixNano" | "endTimeUnixNano"> {
  readonly startTimeUnixNano: string | UnixTime;
  readonly endTimeUnixNano?: string | UnixTime;
  /** By the number of the source name, where a decoder knows it; `attributes` is empty then. */
  readonly coded?: CodedAttributes | undefined;
}
