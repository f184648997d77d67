/**
 * @module Normalize: converts rows of any store and version to events and findings (evidence:
 * Normalize; requirements: Versioning). The only reader of trace bundles of versions 1 to 3, host
 * event envelopes, native events, conversation rows and tool logs. Never throws on data.
 */
import { isRecord, normalizeTime } from "@turnproof/semconv";
import type { UntypedRecord } from "@turnproof/semconv";

import type { SourceStore, NormalizationError, TurnEvent } from "../event/event.ts";
import { looksLikeBundle, openBundle } from "./bundle.ts";
import { mergeIdentity, noIdentity, readIdentity } from "./child-identity.ts";
import type { MutableIdentity } from "./child-identity.ts";
import { composedId, contentOf, stableHash } from "./content-hash.ts";
import { dedupeEvents } from "./dedupe.ts";
import { NormalCheck } from "./normal-event.ts";
import { createFindings, sumErrors } from "./normalization-findings.ts";
import type { Findings, NormalizationCode } from "./normalization-findings.ts";
import { readChild } from "./normalize-child.ts";
import type { ChildContext, ChildReading } from "./normalize-child.ts";
import { guessStore, readMemoryRow } from "./normalize-row.ts";
import { dropLoggedCalls } from "./tool-log.ts";

/** Origin of the rows. */
export interface NormalizeOptions {
  /** The store of all rows; without it each row is recognized by its shape. */
  readonly store?: SourceStore;
  /** Stores that did not respond; each becomes a `provider_query_failed`. */
  readonly failedStores?: readonly SourceStore[];
  /** Findings of an earlier step, e.g. of a file that could not be parsed. */
  readonly errors?: readonly NormalizationError[];
}

/** The events that could be read, and the findings. */
export interface Normalized {
  /** Each event once, in row order; identity as recorded, not resolved over a root yet. */
  readonly events: TurnEvent[];
  readonly errors: readonly NormalizationError[];
  /** Sum of the findings' counts. */
  readonly normalization_errors: number;
  readonly source_rows: number;
  readonly bundle_count: number;
  readonly duplicates_removed: number;
}

/**
 * Normalizes stored rows. Copies are removed (vocabulary: Envelopes), and a tool_log row is removed
 * where the trace has the same call's result. Any finding makes a window untrusted.
 */
export function normalize(rows: readonly unknown[], options: NormalizeOptions = {}): Normalized {
  const findings = createFindings();
  const readings: TurnEvent[] = [];
  let bundles = 0;
  for (const row of rows) {
    findings.about(row);
    try {
      if (readRow(row, options.store, findings, readings)) bundles += 1;
    } catch {
      // A record that throws when read, such as a proxy, is invalid.
      findings.report("invalid_source_row", options.store ?? "trace");
    }
  }
  findings.about(undefined);
  for (const store of options.failedStores ?? []) findings.report("provider_query_failed", store);
  const unique = dedupeEvents(readings);
  const kept = dropLoggedCalls(unique.events);
  const errors = sumErrors([...(options.errors ?? []), ...findings.list()]);
  return {
    events: kept,
    errors,
    normalization_errors: errors.reduce((total, error) => total + error.count, 0),
    source_rows: rows.length,
    bundle_count: bundles,
    duplicates_removed: unique.duplicatesRemoved + unique.events.length - kept.length,
  };
}

/**
 * Normalizes posted or paged events (POST /traces/reconcile): children of any version without an
 * envelope. A value that is no event is an `invalid_event`.
 */
export function normalizeEvents(events: readonly unknown[]): Normalized {
  const findings = createFindings();
  const readings: TurnEvent[] = [];
  const check = new NormalCheck();
  const contexts = {
    trace: contextOf(findings, "trace", { version: 3 }),
    conversation: contextOf(findings, "conversation", { version: 3 }),
    tool_log: contextOf(findings, "tool_log", { version: 3 }),
  };
  for (const value of events) {
    findings.about(value);
    try {
      const store = isRecord(value) ? (sourceOf(value) ?? "trace") : "trace";
      if (isRecord(value) && check.passes(value, store)) {
        readings.push(value);
        continue;
      }
      const reading = readChild(value, contexts[store]);
      if (reading !== undefined) readings.push(withId(reading));
    } catch {
      findings.report("invalid_event", "trace");
    }
  }
  const { events: unique, duplicatesRemoved } = dedupeEvents(readings);
  const errors = findings.list();
  return {
    events: unique,
    errors,
    normalization_errors: errors.reduce((total, error) => total + error.count, 0),
    source_rows: events.length,
    bundle_count: 0,
    duplicates_removed: duplicatesRemoved,
  };
}

function sourceOf(value: UntypedRecord): SourceStore | undefined {
  const store = value["source_store"];
  return store === "trace" || store === "conversation" || store === "tool_log" ? store : undefined;
}

function contextOf(
  findings: Findings,
  store: SourceStore,
  around: {
    readonly version: number;
    readonly identity?: MutableIdentity;
    readonly receivedAt?: string | undefined;
  },
): ChildContext {
  return {
    identity: around.identity ?? noIdentity,
    version: around.version,
    store,
    ...(around.receivedAt === undefined ? {} : { receivedAt: around.receivedAt }),
    report: (code: NormalizationCode, id?: unknown) => findings.report(code, store, id),
  };
}

/** Reads one row into `readings`; true when it was a bundle. */
function readRow(
  value: unknown,
  given: SourceStore | undefined,
  findings: Findings,
  readings: TurnEvent[],
): boolean {
  const row = typeof value === "string" && isTrace(given) ? bundleIn(value) : value;
  if (!isRecord(row)) {
    findings.report("invalid_source_row", given ?? "trace");
    return false;
  }
  if (otherRecords.has(row["record_type"])) return false;
  const payload = payloadOf(row, given);
  const store =
    given ?? (payload !== undefined && looksLikeBundle(payload) ? "trace" : guessStore(row));
  if (store === "conversation" || store === "tool_log") {
    const reading = readMemoryRow(row, store, (code, id) => findings.report(code, store, id));
    if (reading !== undefined) readings.push(withId(reading));
    return false;
  }
  if (payload !== undefined && looksLikeBundle(payload)) {
    return readBundle(row, payload, findings, readings);
  }
  const event = payload !== undefined && payload["event_kind"] !== undefined ? payload : row;
  findings.about(event);
  if (event["event_kind"] === undefined && event["event_type"] === undefined) {
    const bundle = row["record_type"] === "trace_bundle" || row["payload"] !== undefined;
    findings.report(bundle ? "invalid_bundle" : "invalid_source_row", "trace", row["record_id"]);
    return false;
  }
  // The row itself is an event: native ones have their version, older ones had none.
  const version = event["schema_version"] === undefined ? 1 : 3;
  const reading = readChild(event, contextOf(findings, "trace", { version }));
  if (reading !== undefined) readings.push(withId(reading));
  return false;
}

/** Names under which stores kept the payload of a record. */
const payloadNames = ["payload", "bundle"] as const;
const bundleNames = [...payloadNames, "content", "data", "value"] as const;

/** Records that stores keep beside evidence; they are not events. */
const otherRecords: ReadonlySet<unknown> = new Set([
  "recommendation",
  "experiment",
  "replay",
  "feedback",
  "outcome",
]);

/** The payload of a record, parsed where it is text; the row itself when it has none. */
function payloadOf(row: UntypedRecord, given: SourceStore | undefined): UntypedRecord | undefined {
  if (looksLikeBundle(row) || row["event_kind"] !== undefined) return row;
  // Text is parsed only in a record that states its type: a message may look like JSON too.
  const reported = given === "trace" || row["record_type"] === "trace_bundle";
  for (const name of reported ? bundleNames : payloadNames) {
    const value = row[name];
    if (isRecord(value)) return value;
    if (typeof value !== "string") continue;
    if (reported) return recordIn(value);
    const bundle = isTrace(given) ? bundleIn(value) : undefined;
    if (bundle !== undefined) return bundle;
  }
  return undefined;
}

/** Rows of other stores contain messages, which are never parsed. */
function isTrace(given: SourceStore | undefined): boolean {
  return given === undefined || given === "trace";
}

/** A bundle, or a record that contains one, from its JSON text. */
function bundleIn(text: string): UntypedRecord | undefined {
  const record = recordIn(text);
  const isBundle =
    record !== undefined && (looksLikeBundle(record) || record["record_type"] === "trace_bundle");
  return isBundle ? record : undefined;
}

/** The record in a JSON text; some writers serialized it twice. */
function recordIn(text: string): UntypedRecord | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const inner: unknown = typeof parsed === "string" ? JSON.parse(parsed) : parsed;
    return isRecord(inner) ? inner : undefined;
  } catch {
    return undefined;
  }
}

function readBundle(
  row: UntypedRecord,
  payload: UntypedRecord,
  findings: Findings,
  readings: TurnEvent[],
): boolean {
  const recordId = row["record_id"] ?? payload["bundle_id"];
  const opened = openBundle(payload);
  if (typeof opened === "string") {
    findings.report(opened, "trace", recordId);
    return opened !== "invalid_bundle";
  }
  const columns = row === payload ? {} : readIdentity(row, true).identity;
  const merged = columns === undefined ? undefined : mergeIdentity(columns, opened.identity);
  if (merged?.identity === undefined) {
    findings.report("invalid_bundle", "trace", recordId);
    return false;
  }
  if (opened.count !== undefined && opened.count !== opened.children.length) {
    findings.report("bundle_count_mismatch", "trace", recordId);
  }
  const created = row["created_at"];
  const receivedAt = typeof created === "string" ? normalizeTime(created) : undefined;
  const { identity } = merged;
  const context = contextOf(findings, "trace", { identity, receivedAt, version: opened.version });
  const numbers = new Map<string, number>();
  for (const child of opened.children) {
    findings.about(child);
    const reading = readChild(child, context);
    if (reading !== undefined) readings.push(withId(reading, numbers));
  }
  return true;
}

/**
 * Derives an id for an event without one, so that a copy of the record gets the same id. Equal
 * events of one bundle are numbered: they were recorded twice.
 */
function withId(reading: ChildReading, numbers?: Map<string, number>): TurnEvent {
  if (reading.event_id !== undefined) return reading as TurnEvent;
  if (reading.dialect !== "legacy" && reading.span_id !== undefined) {
    return { ...reading, event_id: composedId(`${reading.span_id}:${reading.phase}`) };
  }
  const event: TurnEvent = { ...reading, event_id: "" };
  const mark = stableHash(contentOf(event));
  const number = numbers?.get(mark) ?? 0;
  numbers?.set(mark, number + 1);
  return { ...event, event_id: `derived:${mark}${number === 0 ? "" : `:${number}`}` };
}
