/**
 * @module TurnRow: one turn in the lists, and what it is folded from. A row contains only what its
 * events recorded: everything else is null.
 */
import type {
  CacheDecision,
  Dialect,
  EventKind,
  EventStatus,
  TenantState,
  TimingState,
} from "@turnproof/semconv";

import type { EventAttributeMap, EventIdentity } from "../event/event.ts";
import type { ToolCounts } from "./tool-outcomes.ts";
import type { Usage } from "../normalize/usage.ts";

/** A turn in the lists. Unknown identity is absent; `user_id` null is anonymous. */
export interface TurnRow extends EventIdentity, Usage {
  readonly tenant_state: TenantState;
  /** Time of the turn's first and last event, ISO 8601 UTC. */
  readonly started_at: string;
  readonly ended_at: string;
  /** Milliseconds of the turn's own result; else from first to last event; null when unknown. */
  readonly duration_ms: number | null;
  /** `measured` with the turn's result; `missing_completion` when it began and never ended. */
  readonly timing_state: TimingState;
  /** Of the turn's own result; `started` when it never ended; `unknown` without a turn event. */
  readonly status: EventStatus;
  /** True when any event of the turn ended in error, whether or not it recovered. */
  readonly has_error: boolean;
  readonly event_count: number;
  readonly event_kind_counts: { readonly [kind in EventKind]?: number };
  readonly models: readonly string[];
  readonly tool_names: readonly string[];
  readonly tools: ToolCounts;
  /** Retrieved, supplied and referenced memories; null when the stage was not recorded. */
  readonly memory_retrieved: number | null;
  readonly memory_supplied: number | null;
  readonly memory_referenced: number | null;
  readonly memory_degraded: boolean | null;
  /** The latest decision of the semantic cache, null when there was none. */
  readonly cache_decision: CacheDecision | null;
  /** Calls of any kind that began and never ended. */
  readonly missing_completion: number;
  readonly coverage_profiles: readonly string[];
  readonly dialects: readonly Dialect[];
  /**
   * Services that wrote the turn, their releases, and producers that sent it; empty when unknown.
   */
  readonly services: readonly string[];
  readonly releases: readonly string[];
  readonly producers: readonly string[];
  /** Attributes refused on entry, by code. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Latest receipt among the events. */
  readonly received_at: string | null;
  /** Filled from the stored verdicts; null means not judged. */
  readonly verdict: string | null;
  readonly finding_codes: readonly string[] | null;
  /** Insights of the turn, if it was judged. */
  readonly insight_codes?: readonly string[];
  /**
   * Why the verdict is no success, beside the findings; empty for a success. Absent while not
   * judged, and in rows of versions that did not record it.
   */
  readonly verdict_reasons?: readonly string[];
  /**
   * Spans whose parent is not in the stored trace; absent without a trace, and in rows of versions
   * that did not count them.
   */
  readonly orphan_spans?: number;
}

/**
 * Kinds that make no turn by themselves: structure, rows of the other stores, and reports about
 * producers.
 */
export const kindsOutsideTurns: ReadonlySet<EventKind> = new Set([
  "span",
  "conversation",
  "execution_log",
  "data_quality",
]);

/**
 * The attributes that a row is folded from. Besides these a row uses an event's identity, times,
 * kind, phase, status, dialect, producer, receipt and refusals, but no references or links.
 */
export const turnRowAttributes: readonly (keyof EventAttributeMap)[] = [
  "cache_decision",
  "cached_tokens",
  "coverage_profile",
  "cross_thread_count",
  "degraded",
  "fallback_used",
  "history_count",
  "input_tokens",
  "memory_degraded",
  "model",
  "output_tokens",
  "preference_count",
  "profile_count",
  "referenced_count",
  "response_model",
  "result_count",
  "retrieved_count",
  "service_version",
  "summary_count",
  "supplied_count",
  "tool_call_id",
  "tool_name",
  "tool_outcome",
  "total_tokens",
  "writing_sample_count",
];
