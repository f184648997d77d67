/**
 * @module Bundle: legacy trace bundles (versions 1 to 3), and the v2 form in which `view=bundles`
 * shows native events (vocabulary: Envelopes). Version 2 with version 3 children is written,
 * deterministically: the same events give the same text in any order. Native storage is in
 * `@turnproof/store` (storage: Bundles).
 */
import type { EventKind, UntypedRecord } from "@turnproof/semconv";
import { identityFields, isRecord } from "@turnproof/semconv";

import { canonicalJson } from "../event/canonical-json.ts";
import { readIdentity } from "./child-identity.ts";
import type { MutableIdentity } from "./child-identity.ts";
import { stableHash } from "./content-hash.ts";
import type { EventIdentity, TurnEvent } from "../event/event.ts";
import { compareEvents } from "../event/event-order.ts";

/** Version of the bundles that this build writes. */
export const bundleVersion = 2;
/** Version of the children. */
export const childVersion = 3;

/** The stored events of a turn. */
export interface TraceBundle {
  readonly type: "trace_bundle";
  readonly version: typeof bundleVersion;
  /**
   * Identity fields that all events share; `user_id` null is anonymous, absent is unattributed.
   */
  readonly identity: EventIdentity;
  readonly events: readonly TurnEvent[];
  readonly event_count: number;
  readonly event_kind_counts: { readonly [kind in EventKind]?: number };
  readonly tool_names: readonly string[];
  readonly models: readonly string[];
  readonly has_error: boolean;
  readonly started_at: string;
  readonly ended_at: string;
  /** Hashes of every resource in the events, for lookups without reading the events. */
  readonly resource_ref_hashes: readonly string[];
  readonly coverage_profiles: readonly string[];
  readonly schema_versions: readonly number[];
}

/** A stored record: envelope, identity columns, payload. */
export interface TraceRecord extends EventIdentity {
  readonly record_id: string;
  readonly record_type: "trace_bundle";
  readonly schema_version: typeof bundleVersion;
  readonly created_at: string;
  readonly updated_at: string;
  readonly payload: TraceBundle;
}

/**
 * Encodes normalized events, at least one, as a bundle. Children are written in evidence order as
 * version 3, without fields that are derived on read.
 */
export function encodeBundle(
  events: readonly TurnEvent[],
  options: { readonly hashRef?: (ref: string) => string } = {},
): TraceBundle {
  const hashRef = options.hashRef ?? stableHash;
  const children = events.map(asChild).toSorted(compareChildren);
  const times = children.map((event) => event.timestamp);
  return {
    type: "trace_bundle",
    version: bundleVersion,
    identity: agreedIdentity(children),
    events: children,
    event_count: children.length,
    event_kind_counts: countKinds(children),
    tool_names: distinct(children.flatMap(({ attributes }) => attributes.tool_name ?? [])),
    models: distinct(children.flatMap(({ attributes: a }) => a.response_model ?? a.model ?? [])),
    has_error: children.some((event) => event.status === "error"),
    started_at: times[0] ?? "",
    ended_at: times.at(-1) ?? "",
    resource_ref_hashes: distinct(children.flatMap(refsOf).map(hashRef)),
    coverage_profiles: distinct(children.flatMap((e) => e.attributes.coverage_profile ?? [])),
    schema_versions: [childVersion],
  };
}

/** Wraps a bundle for a store; `at` is the time of writing, ISO 8601 UTC. */
export function encodeRecord(
  bundle: TraceBundle,
  record: { readonly recordId: string; readonly at: string },
): TraceRecord {
  return {
    record_id: record.recordId,
    record_type: "trace_bundle",
    schema_version: bundleVersion,
    created_at: record.at,
    updated_at: record.at,
    ...bundle.identity,
    payload: bundle,
  };
}

/** The canonical text whose hash binds a cursor to a partly read bundle. */
export function bundleDigestInput(bundle: unknown): string {
  return canonicalJson(bundle);
}

function asChild(event: TurnEvent): TurnEvent {
  const { revision: _revision, source_store: _store, ...child } = event;
  return { ...child, schema_version: childVersion };
}

/**
 * Evidence order; equal events by their text, so that revisions of one event have an order too.
 */
function compareChildren(a: TurnEvent, b: TurnEvent): number {
  const order = compareEvents(a, b);
  if (order !== 0) return order;
  const left = canonicalJson(a);
  const right = canonicalJson(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

function agreedIdentity(events: readonly TurnEvent[]): EventIdentity {
  const identity: MutableIdentity = {};
  const [head] = events;
  for (const field of identityFields) {
    const value = head?.[field];
    if (value !== undefined && events.every((event) => event[field] === value)) {
      identity[field] = value as string;
    }
  }
  return identity;
}

function refsOf(event: TurnEvent): string[] {
  return [
    ...(event.input_refs ?? []),
    ...(event.output_refs ?? []),
    ...(event.selection_ledger ?? []).map((line) => line.resource),
  ].map((resource) => resource.ref);
}

function countKinds(events: readonly TurnEvent[]): { [kind in EventKind]?: number } {
  const counts: { [kind in EventKind]?: number } = {};
  for (const kind of events.map((event) => event.event_kind).toSorted()) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

/** A stored bundle, as far as its envelope is readable. */
export interface OpenBundle {
  readonly version: number;
  readonly children: readonly unknown[];
  readonly identity: MutableIdentity;
  /** The number of children in the envelope. */
  readonly count: unknown;
}

/** Why an envelope cannot be read. */
export type BundleFault = "invalid_bundle" | "unsupported_schema" | "empty_bundle";

/** True for a value that is a bundle of any version, well-formed or not. */
export function looksLikeBundle(value: UntypedRecord): boolean {
  return (
    value["type"] === "trace_bundle" ||
    value["type"] === "host_event" ||
    value["events"] !== undefined ||
    value["children"] !== undefined
  );
}

/**
 * Opens a bundle of version 1, 2 or 3, or a host event's envelope (one child). A bundle without a
 * version is version 1. Identity may be in `identity` or beside it; both must agree.
 */
export function openBundle(value: UntypedRecord): OpenBundle | BundleFault {
  const version = readVersion(value["version"] ?? value["schema_version"]);
  if (version === undefined) return "unsupported_schema";
  const single = value["event"];
  const children =
    value["events"] ?? value["children"] ?? (isRecord(single) ? [single] : undefined);
  if (!Array.isArray(children)) return "invalid_bundle";
  const own = value["identity"] ?? {};
  if (!isRecord(own)) return "invalid_bundle";
  const identity = readEnvelopeIdentity(value, own);
  if (identity === undefined) return "invalid_bundle";
  if (children.length === 0) return "empty_bundle";
  return { version, children, identity, count: value["event_count"] ?? undefined };
}

/** A version as a number, or as the texts `2` and `v2` of older writers; absent is 1. */
export function readVersion(value: unknown): number | undefined {
  if (value === undefined || value === null) return 1;
  const text = typeof value === "string" ? value.toLowerCase().replace(/^v/, "") : value;
  const version = typeof text === "string" && /^\d$/.test(text) ? Number(text) : text;
  return version === 1 || version === 2 || version === 3 ? version : undefined;
}

function readEnvelopeIdentity(
  outer: UntypedRecord,
  inner: UntypedRecord,
): MutableIdentity | undefined {
  const around = readIdentity(outer, true).identity;
  const inside = readIdentity(inner, true).identity;
  if (around === undefined || inside === undefined) return undefined;
  for (const field of identityFields) {
    const given = inside[field];
    if (given !== undefined && around[field] !== undefined && around[field] !== given)
      return undefined;
  }
  return { ...around, ...inside };
}
