/**
 * @module SDK shapes: the interfaces of the OpenTelemetry SDK as structural types, so that one
 * build works with the 2.x and the 3.x line without importing either (architecture: Packages).
 */
import type {
  Attributes,
  Context,
  HrTime,
  Link,
  SpanContext,
  SpanStatus,
} from "@opentelemetry/api";

/** An event of a span. */
export interface SpanEventLike {
  readonly name: string;
  readonly time: HrTime;
  readonly attributes?: Attributes | undefined;
  readonly droppedAttributesCount?: number | undefined;
}

/** The part of a resource that an exporter reads. */
export interface ResourceLike {
  readonly attributes: Attributes;
  readonly asyncAttributesPending?: boolean | undefined;
  waitForAsyncAttributes?(): Promise<void>;
}

/** An instrumentation scope. */
export interface ScopeLike {
  readonly name: string;
  readonly version?: string | undefined;
}

/** A readable span: the SDK's `ReadableSpan` of both lines. */
export interface ReadableSpanLike {
  readonly name: string;
  /** The API's kind: 0 internal, 1 server, 2 client, 3 producer, 4 consumer. */
  readonly kind: number;
  spanContext(): SpanContext;
  readonly parentSpanContext?: SpanContext | undefined;
  /** Parent in SDK 1.x; bridges still use it. */
  readonly parentSpanId?: string | undefined;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly status: SpanStatus;
  readonly attributes: Attributes;
  readonly links: readonly Link[];
  readonly events: readonly SpanEventLike[];
  readonly duration: HrTime;
  readonly ended: boolean;
  readonly resource: ResourceLike;
  readonly instrumentationScope: ScopeLike;
  readonly droppedAttributesCount: number;
  readonly droppedEventsCount: number;
  readonly droppedLinksCount: number;
}

/** Result of an export: 0 done, 1 failed. */
export interface ExportAnswer {
  readonly code: number;
  readonly error?: Error;
}

/** The SDK's result codes. */
export const exportDone = 0;
/** See {@link exportDone}. */
export const exportFailed = 1;

/**
 * The SDK's `SpanExporter` of both lines. `S` is the SDK's own span type, which an SDK exporter
 * requires and a structural span satisfies at run time.
 */
export interface SpanExporterLike<S = never> {
  export(spans: S[], done: (answer: ExportAnswer) => void): void;
  shutdown(): Promise<void>;
  forceFlush?(): Promise<void>;
}

/** An exporter of ours, which accepts spans of either line. */
export type GateExporter = SpanExporterLike<ReadableSpanLike>;

/** The SDK's `SpanProcessor` of both lines. */
export interface SpanProcessorLike {
  onStart(span: ReadableSpanLike, parentContext: Context): void;
  onEnd(span: ReadableSpanLike): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}
