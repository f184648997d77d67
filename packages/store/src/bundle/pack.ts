/**
 * @module BundlePack: events of one batch as rows of one root each. Where a provider filters tenants
 * or secures rows in its own language, a row holds one application and one tenant state as its
 * events say them themselves.
 */
import { groupBy } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { encodeSegment } from "./encode.ts";
import { hashesOf } from "./words.ts";

/** A row's own tenant state: what its events say, not what they inherit. */
export type OwnScope = "none" | "user" | "anonymous";

/** Events of one root and one batch, packed. */
export interface BundleRow {
  readonly root_trace_id: string;
  /** Microseconds since the epoch of the first and the last receipt. */
  readonly first_received: number;
  readonly last_received: number;
  readonly events: number;
  /** True when one of them is evidence and no plain span. */
  readonly evidence: boolean;
  /** Hashes of the words by which the row is found, sorted. */
  readonly hashes: readonly number[];
  /** Segments of the body, joined by commas. */
  readonly segments: string;
}

/** A row of one application and one tenant state. */
export interface TenantRow extends BundleRow {
  /** Empty where the events say none. */
  readonly application_id: string;
  readonly scope: OwnScope;
  /** Empty unless the scope is `user`. */
  readonly user_id: string;
}

/** Receipts of one row are of one minute, so a walk by receipt knows how far a row reaches. */
export const spanMicrosMax = 60_000_000;

/** Most events and bytes of one row; a larger group has several. */
const eventsMax = 1_000;
const segmentCharsMax = 256 * 1_024;

/** The rows of some events in their stored form. */
export function packRoots(events: readonly StoredEvent[]): readonly BundleRow[] {
  return [...groupBy(events, rootAndMinute).values()].flatMap(rowsOf);
}

/** The same with one application and one tenant state to a row. */
export function packTenants(events: readonly StoredEvent[]): readonly TenantRow[] {
  const groups = groupBy(events, (event) => {
    const { application_id: application, user_id: user } = event;
    return JSON.stringify([rootAndMinute(event), application, user === undefined ? 0 : user]);
  });
  return [...groups.values()].flatMap((group) => {
    const [{ application_id: application = "", user_id: user }] = group as [StoredEvent];
    const scope = user === undefined ? "none" : user === null ? "anonymous" : "user";
    const own = { application_id: application, scope, user_id: user ?? "" } as const;
    return rowsOf(group).map((row) => ({ ...row, ...own }));
  });
}

function rootAndMinute({ root_trace_id: root = "", received_at: at }: StoredEvent): string {
  return `${Math.floor(epochMicros(at) / spanMicrosMax)}/${root}`;
}

function rowsOf(events: readonly StoredEvent[]): readonly BundleRow[] {
  if (events.length <= eventsMax) {
    const segments = encodeSegment(events);
    if (segments.length <= segmentCharsMax || events.length === 1) return [rowOf(events, segments)];
  }
  const half = Math.ceil(events.length / 2);
  return [...rowsOf(events.slice(0, half)), ...rowsOf(events.slice(half))];
}

function rowOf(events: readonly StoredEvent[], segments: string): BundleRow {
  const [first] = events as readonly [StoredEvent];
  const received = events.map((event) => epochMicros(event.received_at));
  return {
    root_trace_id: first.root_trace_id ?? "",
    first_received: received.reduce((a, b) => Math.min(a, b)),
    last_received: received.reduce((a, b) => Math.max(a, b)),
    events: events.length,
    evidence: events.some((event) => event.event_kind !== "span"),
    hashes: hashesOf(events),
    segments,
  };
}
