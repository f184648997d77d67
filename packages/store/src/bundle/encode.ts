/**
 * @module BundleEncode: encodes events of one root as one segment of a packed body. A body is the
 * JSON array `[version, segment, …]`, so that segments are joined without parsing; a segment is
 * `[received µs, base second, head, event, …]`. Compact JSON decodes as fast as a binary form,
 * fits every provider's text column and can be read in SQL.
 */
import { clampedInstant, epochMicros, fractionDigits, isExact } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { bodyVersion, rareFields, sharedFields, absentField } from "./fields.ts";

/** Longest distance from the base second that a number expresses exactly: a hundred days. */
const nanosMax = Number.MAX_SAFE_INTEGER;
const nanosPerSecond = 1_000_000_000;
const nanosPerMs = 1_000_000;

type Head = Record<string, unknown>;

/** The segment of some events in stored form, all of one root; never empty. */
export function encodeSegment(events: readonly StoredEvent[]): string {
  const [first] = events;
  if (first === undefined) throw new RangeError("a segment holds an event");
  const base = clampedInstant(first.timestamp).seconds;
  const received = epochMicros(first.received_at);
  const head: Head = {};
  for (const field of sharedFields) if (first[field] !== undefined) head[field] = first[field];
  const packed: unknown[] = [received, base, head];
  for (const event of events) packed.push(encodeEvent(event, { head, base, received }));
  return JSON.stringify(packed);
}

/** Joins segments of {@link encodeSegment} to a body. */
export function joinSegments(segments: readonly string[]): string {
  return `[${bodyVersion},${segments.join(",")}]`;
}

interface SegmentContext {
  readonly head: Head;
  readonly base: number;
  readonly received: number;
}

function encodeEvent(event: StoredEvent, { head, base, received }: SegmentContext): unknown[] {
  const rest: Head = {};
  const { end, took } = encodeTimes(event, base, rest);
  for (const field of sharedFields) {
    const value = event[field];
    if (value !== head[field]) rest[field] = value === undefined ? absentField : value;
  }
  for (const field of rareFields) if (event[field] !== undefined) rest[field] = event[field];
  if (!isDerivedId(event)) rest["event_id"] = event.event_id;
  const later = epochMicros(event.received_at) - received;
  if (later !== 0) rest["received"] = later;
  const packed = [
    event.event_kind,
    event.phase,
    event.status,
    end,
    took,
    event.span_id ?? null,
    event.parent_span_id ?? null,
    event.operation ?? null,
    event.producer_seq ?? null,
    event.attributes,
  ];
  for (const _name in rest) {
    packed.push(rest);
    break;
  }
  return packed;
}

/** True when the event id is derived from span and phase; builds no text. */
function isDerivedId({ event_id, span_id = "", phase }: StoredEvent): boolean {
  const at = span_id.length;
  return (
    event_id.length === at + 1 + phase.length &&
    event_id.charCodeAt(at) === 0x3a &&
    event_id.startsWith(span_id) &&
    event_id.endsWith(phase)
  );
}

/** The end and the duration; a time that no number expresses exactly goes to the rest as text. */
function encodeTimes(
  event: StoredEvent,
  base: number,
  rest: Head,
): { readonly end: number | string; readonly took: number | null } {
  const { timestamp, started_at, duration_ms } = event;
  const end = nanosAfter(timestamp, base);
  const start = started_at === undefined ? undefined : nanosAfter(started_at, base);
  const took = end === undefined || start === undefined ? null : end - start;
  if (took === null && started_at !== undefined) rest["started_at"] = started_at;
  const reported = took === null ? undefined : took / nanosPerMs;
  if (duration_ms !== reported) rest["duration_ms"] = duration_ms ?? null;
  return { end: end ?? timestamp, took };
}

/** Nanoseconds from the base; undefined where the number would not decode to the same text. */
function nanosAfter(time: string, base: number): number | undefined {
  if (fractionDigits(time) !== 9 || !isExact(time)) return undefined;
  const { seconds, nanos } = clampedInstant(time);
  const after = (seconds - base) * nanosPerSecond + nanos;
  return Math.abs(after) <= nanosMax ? after : undefined;
}
