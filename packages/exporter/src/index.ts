/** @module The gate: what leaves a process, and how a span becomes an event. */
export { eventSchemaVersion, spanToEvent } from "./mapping/span-to-event.ts";
export type { MappingContext } from "./mapping/span-to-event.ts";
export type { KeyIdentity } from "./mapping/span-reading.ts";
export type { DropCounts, SourceAttributes, SpanRecord } from "./mapping/span-record.ts";
