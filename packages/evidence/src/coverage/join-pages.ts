/**
 * @module JoinPages: joins pages into a window and determines its completeness (requirements:
 * Reconciliation 1 and 8). No single page is complete by itself; only following every cursor from
 * the first page to null proves that nothing is missing.
 */
import type { ReadCompleteness } from "@turnproof/semconv";
import { compareTimes, isRecord, normalizeTime } from "@turnproof/semconv";

import { canonicalJson } from "../event/canonical-json.ts";
import { readCoverage } from "./coverage.ts";
import type { Coverage, CoverageProfiles } from "./coverage.ts";
import { dedupeEvents } from "../normalize/dedupe.ts";
import type { LossInterval } from "./loss-intervals.ts";
import { isTurnEvent } from "../event/event-shape.ts";
import type { NormalizationError, TurnEvent } from "../event/event.ts";
import { normalizeEvents } from "../normalize/normalize.ts";
import { sumErrors } from "../normalize/normalization-findings.ts";
import type { EventPage } from "./page.ts";
import { readCompleteness } from "./page.ts";
import { isNarrow } from "../event/query.ts";
import type { EventQuery } from "../event/query.ts";
import { isUntrusted, trustedErrors } from "../normalize/untrusted.ts";

/** Facts about reading that a verdict needs. */
export interface NormalizationMetadata {
  readonly coverage?: Coverage;
  readonly window_complete?: boolean;
  readonly truncated?: boolean;
  /** Number of records that could not be read, or their errors. */
  readonly normalization_errors?: number | readonly NormalizationError[];
  readonly read_completeness?: ReadCompleteness;
  /** The window's mark: everything received up to it was read. ISO 8601 UTC. */
  readonly as_of?: string | null;
  /** Roots of which received events are quarantined, because the store refused them. */
  readonly quarantined_roots?: readonly string[];
  /** Losses that producers reported, with times; they block the turns that were open then. */
  readonly losses?: readonly LossInterval[];
}

/** One page with its request. */
export interface PageRead {
  /** The cursor of the request; null for the first page. */
  readonly cursor: string | null;
  /** The filters of the request; equal for all pages of a window. */
  readonly query?: EventQuery;
  readonly page: EventPage;
}

/** The events of all pages and their metadata. */
export interface JoinedWindow {
  /** Each event once, in the order of the pages. */
  readonly events: readonly TurnEvent[];
  readonly normalization_metadata: Required<NormalizationMetadata>;
  readonly errors: readonly NormalizationError[];
}

/**
 * Joins pages in the order in which they were read. The window is complete only when the first
 * page was requested without a cursor, each next one with the `next_cursor` of the one before, the
 * last has none, each has as many items as it counts, nothing failed, the filters never changed and
 * exclude no part of a turn (as a status, a kind or a time does), and all have one mark. Pages of
 * different walks, or without a mark, are never complete. Events received after the mark are left
 * out: a walk may find some of them and miss the rest. Never throws on data.
 */
export function joinPages(
  reads: readonly PageRead[],
  options: { readonly profiles?: CoverageProfiles } = {},
): JoinedWindow {
  const asOf = markOf(reads);
  const { items, unread } = itemsOf(reads);
  const { events } = dedupeEvents(asOf === null ? items : items.filter(isReceivedBy(asOf)));
  const reported = reads.flatMap(({ page }) =>
    Array.isArray(page.errors)
      ? page.errors.filter((one): one is NormalizationError => isRecord(one))
      : [],
  );
  const errors = sumErrors([...reported, ...unread]);
  const counted = reads.reduce((total, { page }) => total + errorsOf(page), count(unread));
  const failed = counted > 0 || trustedErrors(errors).length > 0;
  const chained = isChain(reads) && hasOneQuery(reads) && !hasGap(reads);
  const counts = reads.every(({ page }) => hasItsItems(page));
  const whole = asOf !== null && chained && counts && !reads.some(isNarrowed);
  const read = reads.length === 0 ? "unknown" : readCompleteness({ failed, partial: !whole });
  return {
    events,
    errors,
    normalization_metadata: {
      coverage: readCoverage(events, { readCompleteness: read, ...options }),
      window_complete: whole && !failed,
      truncated: !whole,
      normalization_errors: errors.some(isUntrusted) ? errors : counted,
      read_completeness: read,
      as_of: asOf,
      quarantined_roots: [...new Set(reads.flatMap(({ page }) => page.quarantined_roots ?? []))],
      losses: lossesOf(reads),
    },
  };
}

/** The events of the pages; other values are normalized, as in the judge. */
function itemsOf(reads: readonly PageRead[]): {
  readonly items: readonly TurnEvent[];
  readonly unread: readonly NormalizationError[];
} {
  const items: TurnEvent[] = [];
  const others: unknown[] = [];
  for (const { page } of reads) {
    const values: unknown = page.items;
    // A page without a list has lost its items.
    for (const value of Array.isArray(values) ? values : [null]) {
      if (isTurnEvent(value)) items.push(value);
      else others.push(value);
    }
  }
  if (others.length === 0) return { items, unread: [] };
  const read = normalizeEvents(others);
  return { items: [...items, ...read.events], unread: read.errors };
}

/** Losses of all pages, each once; a page of an earlier release has none. */
function lossesOf(reads: readonly PageRead[]): readonly LossInterval[] {
  const all = new Map<string, LossInterval>();
  for (const { page } of reads) {
    const stated: unknown = page.losses;
    for (const loss of Array.isArray(stated) ? (stated as readonly LossInterval[]) : []) {
      all.set(canonicalJson(loss), loss);
    }
  }
  return [...all.values()];
}

/** True where a page has as many items as it counted when it was built. */
function hasItsItems({ items, normalized_events: counted }: EventPage): boolean {
  return Array.isArray(items) && items.length === counted;
}

/** Errors of the page's own normalizer; a count that is no number does not prove zero. */
function errorsOf({ normalization_errors: counted, errors }: EventPage): number {
  return (typeof counted === "number" ? counted : 1) + (Array.isArray(errors) ? 0 : 1);
}

function count(errors: readonly NormalizationError[]): number {
  return trustedErrors(errors).reduce((total, error) => total + error.count, 0);
}

/** The mark that all pages have; null when one has none, another or an invalid one. */
function markOf(reads: readonly PageRead[]): string | null {
  const marks = new Set(reads.map(({ page }) => page.as_of ?? null));
  const [mark] = marks;
  const isTime = typeof mark === "string" && normalizeTime(mark) !== undefined;
  return marks.size === 1 && isTime ? mark : null;
}

/**
 * True for events of the window with this mark; an event without a receipt belongs to every
 * window.
 */
export function isReceivedBy(mark: string): (event: TurnEvent) => boolean {
  return (event) => {
    const received: unknown = (event as TurnEvent | null)?.received_at;
    return typeof received !== "string" || compareTimes(received, mark) <= 0;
  };
}

function isChain(reads: readonly PageRead[]): boolean {
  return reads.every(({ cursor, page }, i) => {
    const expected = i === 0 ? null : reads[i - 1]?.page.next_cursor;
    const last = i === reads.length - 1;
    if (i > 0 && expected === null) return false;
    return cursor === expected && (page.next_cursor === null) === last;
  });
}

/** A page without cursors that is not complete has a gap of its own. */
function hasGap(reads: readonly PageRead[]): boolean {
  const [only] = reads;
  return (
    reads.length === 1 &&
    only !== undefined &&
    !only.page.window_complete &&
    only.page.normalization_errors === 0 &&
    trustedErrors(only.page.errors).length === 0
  );
}

function isNarrowed({ page, query }: PageRead): boolean {
  return page.narrowed || isNarrow(query ?? {});
}

function hasOneQuery(reads: readonly PageRead[]): boolean {
  return new Set(reads.map(({ query }) => canonicalJson(query ?? {}))).size === 1;
}
