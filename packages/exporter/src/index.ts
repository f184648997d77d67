/** @module The gate: screens what leaves a process, and maps a span to an event. */
export { contentFree } from "./gate/content-free.ts";
export type { ContentFreeExporter } from "./gate/content-free.ts";
export type { GateCounts, GateOptions } from "./gate/gate.ts";
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
export { CodedAttributes, sourceCode, sourceNames } from "./mapping/coded-attributes.ts";
export { keyedSpanName } from "./mapping/span-name.ts";
export { eventSchemaVersion, spanToEvent } from "./mapping/span-to-event.ts";
export type { MappingContext } from "./mapping/span-to-event.ts";
export type { KeyIdentity } from "./mapping/span-reading.ts";
export type {
  DropCounts,
  SourceAttributes,
  CurrentSpan,
  SpanRecord,
} from "./mapping/span-record.ts";
export { evidenceSampler } from "./processor/evidence-sampler.ts";
export type {
  EvidenceSamplerOptions,
  SamplerLike,
  SamplingResultLike,
} from "./processor/evidence-sampler.ts";
export type { ExportHealth, SideCount } from "./processor/span-counts.ts";
export { storeSink } from "./bundle/store-sink.ts";
export type { SinkDraft, SinkResult, SinkSpan, StoreSinkOptions } from "./bundle/store-sink.ts";
export { BundleExporter } from "./bundle/bundle-exporter.ts";
export type { BundleExporterHealth, BundleExporterOptions } from "./bundle/bundle-exporter.ts";
export { MemoryExporter } from "./memory/memory-exporter.ts";
export { TurnproofProcessor, turnproofProcessor } from "./processor/turnproof-processor.ts";
export type { TurnproofProcessorOptions } from "./processor/processor-settings.ts";
export type { SpoolJournal } from "./spool/disk-spool.ts";
export { eventRequest } from "./wire/event-request.ts";
export type { EventRequest } from "./wire/event-request.ts";
