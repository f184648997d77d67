/**
 * @module BundlePack: events of one batch as rows of one root each. A row may have events of
 * several tenants: identity is inherited inside a root, so every read settles whole roots and
 * returns the events in scope.
 */
import { epochMicros, groupBy } from "@turnproof/semconv";
import type { Identity } from "@turnproof/semconv";

import { paced } from "../paced.ts";
import type { StoredEvent } from "../stored-event.ts";
import { encodeSegment } from "./encode.ts";
import { ownRangeOf } from "./own-range.ts";
import type { OwnRange } from "./own-range.ts";
import { hashesOf } from "./bundle-words.ts";

/** Events of one root and one batch, packed. */
export interface BundleRow extends OwnRange, Pick<Identity, "root_trace_id"> {
  /** Time of the first and the last receipt, in microseconds since the epoch. */
  readonly first_received: number;
  readonly last_received: number;
  readonly events: number;
  /** True when one of them is evidence and not a plain span. */
  readonly evidence: boolean;
  /** Hashes of the words by which the row is indexed, each once. */
  readonly hashes: readonly number[];
  /** Segments of the body, joined by commas. */
  readonly segments: string;
}

/**
 * Receipts of one row are within one minute, so a walk by receipt can bound the range of a row.
 */
export const spanMicrosMax = 60_000_000;

/** Most events and bytes of one row; a larger group has several. */
const eventsMax = 1_000;
const segmentCharsMax = 256 * 1_024;

/** The rows of some events in their stored form. */
export function packBundles(events: readonly StoredEvent[]): readonly BundleRow[] {
  return [...packing(events)];
}

/** The same, with pauses between rows: 10,000 events take a tenth of a second of CPU. */
export async function packPaced(events: readonly StoredEvent[]): Promise<readonly BundleRow[]> {
  const pass = paced();
  const rows: BundleRow[] = [];
  for (const row of packing(events)) {
    rows.push(row);
    await pass();
  }
  return rows;
}

function* packing(events: readonly StoredEvent[]): Generator<BundleRow> {
  for (const group of groupBy(events, rootAndMinute).values()) yield* rowsOf(group);
}

function rootAndMinute({ root_trace_id: root = "", received_at: at }: StoredEvent): string {
  return `${Math.floor(epochMicros(at) / spanMicrosMax)}/${root}`;
}

function* rowsOf(events: readonly StoredEvent[]): Generator<BundleRow> {
  if (events.length <= eventsMax) {
    const segments = encodeSegment(events);
    if (segments.length <= segmentCharsMax || events.length === 1) {
      yield rowOf(events, segments);
      return;
    }
  }
  const half = Math.ceil(events.length / 2);
  yield* rowsOf(events.slice(0, half));
  yield* rowsOf(events.slice(half));
}

function rowOf(events: readonly StoredEvent[], segments: string): BundleRow {
  const [first] = events as readonly [StoredEvent];
  let from = Infinity;
  let to = -Infinity;
  for (const event of events) {
    const at = epochMicros(event.received_at);
    from = Math.min(from, at);
    to = Math.max(to, at);
  }
  return {
    root_trace_id: first.root_trace_id ?? "",
    first_received: from,
    last_received: to,
    ...ownRangeOf(events),
    events: events.length,
    evidence: events.some((event) => event.event_kind !== "span"),
    hashes: hashesOf(events),
    segments,
  };
}
