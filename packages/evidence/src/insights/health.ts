/**
 * @module Health: the state of a window of evidence (requirements: Endpoints; evidence: Insights).
 * It does not probe a deployment: absent records cannot show what was lost, so losses are unknown
 * unless every producer accounted for its own.
 */
import { codes, identityFields, later } from "@turnproof/semconv";
import type { Dialect, EventKind, IdentityField } from "@turnproof/semconv";

import { readCoverage } from "../coverage/coverage.ts";
import type { Coverage, CoverageProfiles } from "../coverage/coverage.ts";
import type { NormalizationError, SourceStore, TurnEvent } from "../event/event.ts";
import { readLosses } from "../reconcile/loss-accounting.ts";
import type { LossAccounting } from "../reconcile/loss-accounting.ts";
import { assessWindow } from "../reconcile/reconcile-window.ts";
import type { WindowMetadata, WindowTrust } from "../reconcile/reconcile-window.ts";
import { buildGroups } from "../waterfall/waterfall.ts";
import { countFlags } from "../waterfall/causal-waterfall.ts";
import type { WaterfallGroup } from "../waterfall/causal-waterfall.ts";
import { readWindow } from "../normalize/window-events.ts";

/** Result and time of one store's query. */
export interface QueryTiming {
  readonly source_store: SourceStore;
  readonly duration_ms: number;
  readonly rows: number;
  readonly failed: boolean;
}

/** Facts about the read that the events do not contain. */
export interface HealthOptions {
  readonly normalizationMetadata?: WindowMetadata | null;
  readonly errors?: readonly NormalizationError[];
  readonly sourceRows?: number;
  readonly bundleCount?: number;
  readonly duplicatesRemoved?: number;
  readonly queries?: readonly QueryTiming[];
  /** Whether the compatibility path was read instead of native indexes. */
  readonly compatibilityFallback?: boolean;
  /** True when the window is a part of its producers' events: by agent, thread or limit. */
  readonly filtered?: boolean;
  /**
   * Whether the window contains a complete trace. Default: every trace where the window is
   * complete and not filtered, else none.
   */
  readonly isWhole?: (rootTraceId: string) => boolean;
  readonly profiles?: CoverageProfiles;
}

/** Counts by name; an absent name was not seen. */
export type Counts = { readonly [name: string]: number };

/** Health of a window. */
export interface TraceHealth extends LossAccounting {
  readonly normalized_events: number;
  readonly source_rows: number | null;
  readonly bundle_count: number | null;
  readonly duplicates_removed: number;
  readonly schema_counts: Counts;
  readonly kind_counts: { readonly [K in EventKind]?: number };
  readonly dialect_counts: { readonly [K in Dialect | "unknown"]?: number };
  /** Failures to read records, by code. */
  readonly failures_by_code: Counts;
  readonly normalization_failures: number;
  readonly query_failures: number;
  /** Events of a turn with a missing identity field; structural spans are not counted. */
  readonly missing_identities: { readonly [K in IdentityField]?: number };
  /** Events with at least one inherited or derived identity field. */
  readonly derived_identities: number;
  readonly missing_stages: readonly string[];
  readonly coverage: Coverage;
  /** Spans whose parent is not in their trace, for traces that are in the window completely. */
  readonly orphan_spans: number;
  /** Spans whose parent is not in the window, for traces that may be incomplete in it. */
  readonly parents_beyond_window: number;
  readonly missing_causes: number;
  readonly cycles: number;
  readonly unknown_durations: number;
  readonly missing_completions: number;
  readonly clock_skewed: number;
  /** Attributes refused on entry, by reason. */
  readonly dropped_attributes: Counts;
  readonly query_timing: readonly QueryTiming[];
  readonly compatibility_fallback: boolean | null;
  readonly latest_event_at: string | null;
  readonly latest_received_at: string | null;
  readonly window: WindowTrust;
}

/**
 * Builds the health of a window of any values; never throws on data. Linear except for sorting.
 */
export function buildTraceHealth(
  events: readonly unknown[],
  options: HealthOptions = {},
): TraceHealth {
  const read = readWindow(events);
  const metadata = options.normalizationMetadata ?? undefined;
  const trust = assessWindow(read, metadata);
  const groups = buildGroups(read).map(({ group }) => group);
  const counts = countFlags(groups);
  const { filtered = false } = options;
  const complete = metadata?.window_complete === true && metadata.truncated !== true && !filtered;
  const orphans = countOrphans(groups, options.isWhole ?? (() => complete));
  const coverage = readCoverage(read.events, {
    readCompleteness: trust.read_completeness,
    groups: read.groups,
    ...(options.profiles === undefined ? {} : { profiles: options.profiles }),
  });
  const failures = new Map<string, number>();
  for (const { code, count } of options.errors ?? []) add(failures, code, count);
  if (read.rejected > 0) add(failures, "invalid_event", read.rejected);
  const queryFailures = failures.get("provider_query_failed") ?? 0;
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  return {
    ...tally(read.events),
    ...readLosses(read.events, { filtered: options.filtered === true }),
    normalized_events: read.events.length,
    source_rows: options.sourceRows ?? null,
    bundle_count: options.bundleCount ?? null,
    duplicates_removed: (options.duplicatesRemoved ?? 0) + read.duplicatesRemoved,
    failures_by_code: Object.fromEntries(failures),
    normalization_failures: failed - queryFailures,
    query_failures: queryFailures,
    missing_stages: coverage.missing_stages,
    coverage,
    orphan_spans: orphans,
    parents_beyond_window: counts.missing_parents - orphans,
    missing_causes: counts.missing_causes,
    cycles: counts.cycles,
    unknown_durations: counts.unknown_durations,
    missing_completions: counts.missing_completions,
    clock_skewed: counts.clock_skewed,
    query_timing: options.queries ?? [],
    compatibility_fallback: options.compatibilityFallback ?? null,
    window: trust,
  };
}

/** Traces with a span whose parent is not among the events, each once. */
export function parentlessRoots(events: readonly unknown[]): string[] {
  const groups = buildGroups(readWindow(events)).map(({ group }) => group);
  const lacking = groups.filter(({ nodes }) => nodes.some((node) => node.missing_parent));
  return [...new Set(lacking.flatMap(({ identity }) => identity.root_trace_id ?? []))];
}

function countOrphans(
  groups: readonly WaterfallGroup[],
  isWhole: (rootTraceId: string) => boolean,
): number {
  let orphans = 0;
  for (const { identity, nodes } of groups) {
    const root = identity.root_trace_id;
    // Events without a trace cannot belong to a complete one.
    if (typeof root !== "string" || !isWhole(root)) continue;
    for (const node of nodes) if (node.missing_parent) orphans += 1;
  }
  return orphans;
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

type CodeTally = Pick<
  TraceHealth,
  | "schema_counts"
  | "kind_counts"
  | "dialect_counts"
  | "missing_identities"
  | "derived_identities"
  | "dropped_attributes"
  | "latest_event_at"
  | "latest_received_at"
>;

/** All counts of one pass over the events. */
function tally(events: readonly TurnEvent[]): CodeTally {
  const schemas = new Map<string, number>();
  const kinds = new Map<string, number>();
  const dialects = new Map<string, number>();
  const missing = new Map<string, number>();
  const dropped = new Map<string, number>();
  let derived = 0;
  let latestEvent: string | null = null;
  let latestReceived: string | null = null;
  for (const event of events) {
    add(schemas, String(event.schema_version), 1);
    add(kinds, event.event_kind, 1);
    add(dialects, event.dialect ?? "unknown", 1);
    if ((event.identity_derived?.length ?? 0) > 0) derived += 1;
    // Structure has no status, and a producer's own report belongs to no turn.
    if (event.event_kind !== "span" && event.event_kind !== "data_quality") {
      for (const field of identityFields) if (event[field] === undefined) add(missing, field, 1);
    }
    for (const reason in event.dropped) {
      const count = event.dropped[reason];
      // A reason is a code of the guard; a posted event may contain any text.
      const known = Object.hasOwn(codes, reason) ? reason : "other";
      if (typeof count === "number" && count > 0) add(dropped, known, count);
    }
    latestEvent = later(latestEvent, event.timestamp);
    latestReceived = later(latestReceived, event.received_at);
  }
  return {
    schema_counts: Object.fromEntries(schemas),
    kind_counts: Object.fromEntries(kinds),
    dialect_counts: Object.fromEntries(dialects),
    missing_identities: Object.fromEntries(missing),
    derived_identities: derived,
    dropped_attributes: Object.fromEntries(dropped),
    latest_event_at: latestEvent,
    latest_received_at: latestReceived,
  };
}
