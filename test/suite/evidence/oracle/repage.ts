/**
 * @module Repage: a window read in pages by a client that may do it wrong. The pages and the
 * joining are the real ones; what they are worth is said here by what was done to them.
 */
import { buildPage, joinPages, normalizeEvents } from "@turnproof/evidence";
import type { EventPage } from "@turnproof/evidence";

import type { JudgedWindow } from "./law.ts";
import type { Random } from "./random.ts";
import type { Json } from "./reading.ts";

interface Read {
  readonly cursor: string | null;
  readonly page: EventPage;
}

/** Reads the events page by page, as a client follows cursors. */
export function readsOf(values: readonly unknown[], size: number): Read[] {
  const { events } = normalizeEvents(values);
  const reads: Read[] = [];
  for (let from = 0; from < Math.max(1, events.length); from += size) {
    const slice = events.slice(from, from + size);
    const next = from + size < events.length ? `cursor-${from + size}` : null;
    const read = { sourceRows: slice.length, bundleCount: 1, duplicatesRemoved: 0, errors: [] };
    const page = buildPage(
      { events: slice, ...read, bounded: false },
      { limit: size, continued: from > 0, nextCursor: next, asOf: "2999-01-01T00:00:00Z" },
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
] as const;

/** The window after its pages were read one way or another. */
export function repage(window: JudgedWindow, random: Random): JudgedWindow {
  const reads = readsOf(window.events, 1 + random.below(window.events.length + 3));
  const at = random.below(reads.length);
  const one = reads[at];
  if (one === undefined) return window;
  let changed: Read[] = reads;
  switch (random.pick(ways)) {
    case "whole":
      break;
    case "loses a page":
      changed = reads.filter((_, index) => index !== at);
      break;
    case "loses the last":
      changed = reads.slice(0, -1);
      break;
    case "loses the first":
      changed = reads.slice(1);
      break;
    case "repeats one":
      changed = [...reads.slice(0, at), one, ...reads.slice(at)];
      break;
    case "swaps two":
      changed = reads.with(0, one).with(at, reads[0] ?? one);
      break;
    case "fails": {
      const errors = [{ code: "invalid_event", count: 1 }];
      const page = { ...one.page, errors, normalization_errors: 1, window_complete: false };
      changed = reads.with(at, { ...one, page });
      break;
    }
  }
  const joined = joinPages(changed);
  const events = joined.events as unknown as readonly Json[];
  return { ...window, events, metadata: joined.normalization_metadata };
}
