/** @module The gate: what leaves a process, and how a span becomes an event. */
export { contentFree } from "./gate/content-free.ts";
export type { ContentFreeExporter, ContentFreeOptions } from "./gate/content-free.ts";
export type {
  ExportAnswer,
  GateExporter,
  ReadableSpanLike,
  ResourceLike,
  ScopeLike,
  SpanEventLike,
  SpanExporterLike,
  SpanProcessorLike,
} from "./gate/sdk-shapes.ts";
export { spanRecordOf } from "./gate/span-record-of.ts";
export { eventSchemaVersion, spanToEvent } from "./mapping/span-to-event.ts";
export type { MappingContext } from "./mapping/span-to-event.ts";
export type { KeyIdentity } from "./mapping/span-reading.ts";
export type { DropCounts, SourceAttributes, SpanRecord } from "./mapping/span-record.ts";
