/**
 * @module BundlePack: events of one batch as rows, one for each root, application and tenant state
 * that the events say themselves. Those three are columns, so that tenant filters and row security
 * stay in the provider's own language.
 */
import type { StoredEvent } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { encodeSegment } from "./encode.ts";
import { hashesOf } from "./words.ts";

/** A row's own tenant state: what its events say, not what they inherit. */
export type OwnScope = "none" | "user" | "anonymous";

/** Events of one root, of one batch and one tenant state, packed. */
export interface BundleRow {
  readonly root_trace_id: string;
  /** Empty where the events say none. */
  readonly application_id: string;
  readonly scope: OwnScope;
  /** Empty unless the scope is `user`. */
  readonly user_id: string;
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

/** Receipts of one row are of one minute, so a walk by receipt knows how far a row reaches. */
export const spanMicrosMax = 60_000_000;

/** Most events and bytes of one row; a larger group has several. */
const eventsMax = 1_000;
const segmentCharsMax = 256 * 1_024;

/** The rows of some events in their stored form. */
export function packEvents(events: readonly StoredEvent[]): readonly BundleRow[] {
  const groups = new Map<string, StoredEvent[]>();
  for (const event of events) {
    const { root_trace_id: root, application_id: application, user_id: user } = event;
    const minute = Math.floor(epochMicros(event.received_at) / spanMicrosMax);
    const key = JSON.stringify([root, application, user === undefined ? 0 : user, minute]);
    const own = groups.get(key);
    if (own === undefined) groups.set(key, [event]);
    else own.push(event);
  }
  return [...groups.values()].flatMap(rowsOf);
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
  const { user_id: user } = first;
  return {
    root_trace_id: first.root_trace_id ?? "",
    application_id: first.application_id ?? "",
    scope: user === undefined ? "none" : user === null ? "anonymous" : "user",
    user_id: user ?? "",
    first_received: received.reduce((a, b) => Math.min(a, b)),
    last_received: received.reduce((a, b) => Math.max(a, b)),
    events: events.length,
    evidence: events.some((event) => event.event_kind !== "span"),
    hashes: hashesOf(events),
    segments,
  };
}
