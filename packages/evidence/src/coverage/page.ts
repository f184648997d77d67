/**
 * @module Page: one page of child events with its counters (evidence: Health; requirements:
 * Normalized event page). Counters cover the records read for this page alone; a bundle that spans
 * pages counts in each.
 */
import type { ReadCompleteness } from "@turnproof/semconv";

import { readCoverage } from "./coverage.ts";
import type { Coverage, CoverageProfiles } from "./coverage.ts";
import type { NormalizationError, TurnEvent } from "../event/event.ts";
import type { LossInterval } from "./loss-intervals.ts";
import { readMetrics } from "./metric-states.ts";
import { isNarrow } from "../event/query.ts";
import type { EventQuery } from "../event/query.ts";
import { trustedErrors } from "../normalize/untrusted.ts";
import type { MetricStates, ObservedCounts } from "./metric-states.ts";

/** Result of a store's read for the page; `EventSlice` of the store's port has these fields. */
export interface PageSlice {
  /** Resolved, deduplicated, matching events, newest received first. */
  readonly events: readonly TurnEvent[];
  readonly sourceRows: number;
  readonly bundleCount: number;
  readonly duplicatesRemoved: number;
  readonly errors: readonly NormalizationError[];
  /** True when the scan budget ended the read before the filter was exhausted. */
  readonly bounded: boolean;
}

/** A page of events. The ten legacy numbers beside `metric_states` are observed counts. */
export interface EventPage extends ObservedCounts {
  readonly items: readonly TurnEvent[];
  readonly source_rows: number;
  readonly bundle_count: number;
  readonly normalized_events: number;
  /** Number of failures of trusted producers; `errors` lists these and all others. */
  readonly normalization_errors: number;
  readonly errors: readonly NormalizationError[];
  readonly duplicates_removed: number;
  readonly coverage: Coverage;
  readonly metric_states: MetricStates;
  readonly next_cursor: string | null;
  /**
   * Mark of the walk, ISO 8601 UTC: following the cursors from the first page reads everything
   * received up to it. All pages of a walk have the same; null where unknown.
   */
  readonly as_of: string | null;
  /** Roots of the page with quarantined events: no verdict on them is a success. */
  readonly quarantined_roots: readonly string[];
  /** Known losses of the producers and services of the page, and of the collector, with times. */
  readonly losses: readonly LossInterval[];
  /** True when filters exclude events of a turn: no verdict over such pages is a success. */
  readonly narrowed: boolean;
  /** True only when there was no cursor in the request, none in the page, and nothing failed. */
  readonly window_complete: boolean;
  readonly limit: number;
}

/** Request of the page, and its continuation. */
export interface PageOptions {
  readonly limit: number;
  /** True when the request had a cursor: a continuation is never a complete window. */
  readonly continued: boolean;
  /** The sealed cursor of the next page, or null when nothing older matches. */
  readonly nextCursor: string | null;
  /** Mark of the walk: when its first page was read. */
  readonly asOf?: string;
  /** Roots with quarantined events. */
  readonly quarantinedRoots?: readonly string[];
  /** Known losses that concern the page. */
  readonly losses?: readonly LossInterval[];
  /** Filters of the request. */
  readonly query?: EventQuery;
  readonly profiles?: CoverageProfiles;
}

/** Builds the page of a slice; the items keep their order. */
export function buildPage(slice: PageSlice, options: PageOptions): EventPage {
  const counted = trustedErrors(slice.errors);
  const failures = counted.reduce((total, error) => total + error.count, 0);
  const failed = counted.length > 0;
  const partial = options.continued || options.nextCursor !== null || slice.bounded;
  const { observed, states } = readMetrics(slice.events, { partial, failed });
  return {
    items: slice.events,
    source_rows: slice.sourceRows,
    bundle_count: slice.bundleCount,
    normalized_events: slice.events.length,
    normalization_errors: failures,
    errors: slice.errors,
    duplicates_removed: slice.duplicatesRemoved,
    coverage: readCoverage(slice.events, {
      readCompleteness: readCompleteness({ failed, partial }),
      ...(options.profiles === undefined ? {} : { profiles: options.profiles }),
    }),
    metric_states: states,
    next_cursor: options.nextCursor,
    as_of: options.asOf ?? null,
    quarantined_roots: rootsAmong(slice.events, options.quarantinedRoots ?? []),
    losses: options.losses ?? [],
    narrowed: isNarrow(options.query ?? {}),
    window_complete: !failed && !partial,
    limit: options.limit,
    ...observed,
  };
}

/** The roots among these that the events belong to, sorted. */
export function rootsAmong(
  events: readonly Pick<TurnEvent, "root_trace_id">[],
  roots: readonly string[],
): string[] {
  if (roots.length === 0) return [];
  const named = new Set(roots);
  const found = events.flatMap(({ root_trace_id: root = "" }) => (named.has(root) ? [root] : []));
  return [...new Set(found)].toSorted();
}

/** A failure makes a window untrusted; truncation does not change that (evidence: Health). */
export function readCompleteness(window: {
  readonly failed: boolean;
  readonly partial: boolean;
}): ReadCompleteness {
  if (window.failed) return "untrusted";
  return window.partial ? "partial" : "complete";
}
