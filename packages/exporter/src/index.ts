/** @module The gate: what leaves a process, and how a span becomes an event. */
export type { DropCounts, SourceAttributes, SpanRecord } from "./mapping/span-record.ts";
