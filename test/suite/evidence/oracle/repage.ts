/**
 * @module Repage: a window read in pages by a client that may do it wrong. The pages and the
 * joining are the real ones; their worth is decided here by what was done to them.
 */
import { buildPage, joinPages, normalizeEvents } from "@turnproof/evidence";
import type { EventPage, EventQuery } from "@turnproof/evidence";

import type { JudgedWindow } from "./law.ts";
import type { Random } from "./random.ts";
import type { Json } from "./reading.ts";

interface Read {
  readonly cursor: string | null;
  readonly page: EventPage;
}

/** A mark after everything that was received. */
const lateMark = "2999-01-01T00:00:00Z";

/** Reads the events page by page, as a client follows cursors; all pages carry one mark. */
export function readsOf(
  values: readonly unknown[],
  size: number,
  asOf: string = lateMark,
  query: EventQuery = {},
): Read[] {
  const { events } = normalizeEvents(values);
  const reads: Read[] = [];
  for (let from = 0; from < Math.max(1, events.length); from += size) {
    const slice = events.slice(from, from + size);
    const next = from + size < events.length ? `cursor-${from + size}` : null;
    const read = { sourceRows: slice.length, bundleCount: 1, duplicatesRemoved: 0, errors: [] };
    const page = buildPage(
      { events: slice, ...read, bounded: false },
      { limit: size, continued: from > 0, nextCursor: next, asOf, query },
    );
    reads.push({ cursor: from === 0 ? null : `cursor-${from}`, page });
  }
  return reads;
}

const ways = [
  "whole",
  "loses a page",
  "loses the last",
  "loses the first",
  "repeats one",
  "swaps two",
  "fails",
  "mixes marks",
  "is read too early",
] as const;

/** The window after its pages were read one way or another. */
export function repage(window: JudgedWindow, random: Random): JudgedWindow {
  const way = random.pick(ways);
  const seen = random.pick(window.events);
  // A walk that began before the last event came sees what was received by its mark.
  const early = way === "is read too early" && typeof seen?.["received_at"] === "string";
  const mark = early ? String(seen["received_at"]) : lateMark;
  const size = 1 + random.below(window.events.length + 3);
  const reads = readsOf(window.events, size, mark);
  const changed = readAnotherWay(reads, way, random);
  const joined = joinPages(changed.reads);
  const events = window.events.filter(
    (event) => !early || Date.parse(String(event["received_at"])) <= Date.parse(mark),
  );
  const read = changed.whole ? events : (joined.events as unknown as readonly Json[]);
  return {
    ...window,
    events: read,
    metadata: joined.normalization_metadata,
    wasReadWhole: changed.whole,
  };
}

const filters: readonly EventQuery[] = [
  {},
  { agent_id: "agent" },
  { status: "success" },
  { event_kind: "delivery" },
  { start_time: "2026-11-21T10:00:00.100Z" },
];

/** The window read through a filter, with its own pages, joined or taken at their word. */
export function narrow(window: JudgedWindow, random: Random): JudgedWindow {
  const query = random.pick(filters);
  const { status, event_kind: kind, start_time: start } = query;
  const seen = window.events.filter(
    (event) =>
      (status === undefined || event["status"] === status) &&
      (kind === undefined || event["event_kind"] === kind) &&
      (start === undefined || String(event["timestamp"]) >= start),
  );
  const wasReadWhole = status === undefined && kind === undefined && start === undefined;
  const events = wasReadWhole || random.chance(0.5) ? seen : window.events;
  const [read] = readsOf(events, events.length + 1, lateMark, query);
  if (read === undefined) return window;
  const metadata = random.chance(0.5)
    ? joinPages([{ ...read, query }]).normalization_metadata
    : { ...read.page, truncated: false };
  return { ...window, events, metadata, wasReadWhole };
}

function readAnotherWay(
  reads: readonly Read[],
  way: (typeof ways)[number],
  random: Random,
): { readonly reads: readonly Read[]; readonly whole: boolean } {
  const at = random.below(reads.length);
  const one = reads[at];
  const broken = (changed: readonly Read[]): ReturnType<typeof readAnotherWay> => {
    return { reads: changed, whole: false };
  };
  if (one === undefined) return broken([]);
  switch (way) {
    case "loses a page":
      return broken(reads.filter((_, index) => index !== at));
    case "loses the last":
      return broken(reads.slice(0, -1));
    case "loses the first":
      return broken(reads.slice(1));
    case "repeats one":
      return broken([...reads.slice(0, at), one, ...reads.slice(at)]);
    case "swaps two":
      return at === 0
        ? { reads, whole: true }
        : broken(reads.with(0, one).with(at, reads[0] ?? one));
    case "fails": {
      const errors = [{ code: "invalid_event", count: 1 }];
      const page = { ...one.page, errors, normalization_errors: 1, window_complete: false };
      return broken(reads.with(at, { ...one, page }));
    }
    case "mixes marks": {
      const page = { ...one.page, as_of: "2998-01-01T00:00:00Z" };
      return { reads: reads.with(at, { ...one, page }), whole: reads.length === 1 };
    }
    case "whole":
    case "is read too early":
      return { reads, whole: true };
  }
}
