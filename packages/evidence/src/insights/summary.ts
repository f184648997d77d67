/**
 * @module Summary: bounded counts and freshness of a window without content (requirements:
 * Summary). The current time is an argument; there is no clock here.
 */
import type { CacheDecision, EventKind } from "@turnproof/semconv";
import { compareTimes, elapsedMs } from "@turnproof/semconv";

import { readMetrics } from "../coverage/metric-states.ts";
import type { MetricStates, ObservedCounts } from "../coverage/metric-states.ts";
import type { TurnEvent } from "../event/event.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { countTools } from "../turns/tool-outcomes.ts";
import type { ToolCounts } from "../turns/tool-outcomes.ts";

/** Counts of a bounded window, and the age of its newest evidence. */
export interface ObservabilitySummary extends ObservedCounts {
  readonly events: number;
  readonly turns: number;
  readonly threads: number;
  readonly event_kind_counts: { readonly [kind in EventKind]?: number };
  readonly tools: ToolCounts;
  readonly cache_decisions: { readonly [decision in CacheDecision]?: number };
  readonly errors: number;
  readonly negative_feedback: number;
  readonly metric_states: MetricStates;
  /** Newest event time; null in an empty window. */
  readonly latest_event_at: string | null;
  readonly oldest_event_at: string | null;
  /** Milliseconds from the newest event to `now`; null without events, never negative. */
  readonly age_ms: number | null;
  /** False when the window was truncated: every count is then a lower bound. */
  readonly window_complete: boolean;
}

/** Summarizes resolved, deduplicated events. `now` is ISO 8601 UTC. */
export function summarize(
  events: readonly TurnEvent[],
  options: { readonly now: string; readonly windowComplete: boolean; readonly failed?: boolean },
): ObservabilitySummary {
  const failed = options.failed ?? false;
  const { observed, states } = readMetrics(events, { partial: !options.windowComplete, failed });
  const turns = createIdentityTable([
    "agent_id",
    "user_id",
    "thread_id",
    "root_trace_id",
    "turn_id",
  ]);
  const threads = createIdentityTable(["agent_id", "user_id", "thread_id"]);
  const kinds: { [kind in EventKind]?: number } = {};
  const decisions: { [decision in CacheDecision]?: number } = {};
  let latest: string | null = null;
  let oldest: string | null = null;
  let errors = 0;
  let negative = 0;
  for (const event of events) {
    if (event.turn_id !== undefined) turns.idOf(event);
    if (event.thread_id !== undefined) threads.idOf(event);
    kinds[event.event_kind] = (kinds[event.event_kind] ?? 0) + 1;
    const decision = event.attributes.cache_decision as CacheDecision | undefined;
    if (decision !== undefined) decisions[decision] = (decisions[decision] ?? 0) + 1;
    if (event.status === "error") errors += 1;
    if (event.event_kind === "feedback" && (event.attributes.rating ?? 0) < 0) negative += 1;
    if (latest === null || compareTimes(event.timestamp, latest) > 0) latest = event.timestamp;
    if (oldest === null || compareTimes(event.timestamp, oldest) < 0) oldest = event.timestamp;
  }
  const age = latest === null ? undefined : elapsedMs(latest, options.now);
  return {
    events: events.length,
    turns: turns.size,
    threads: threads.size,
    event_kind_counts: kinds,
    tools: countTools(events),
    cache_decisions: decisions,
    errors,
    negative_feedback: negative,
    ...observed,
    metric_states: states,
    latest_event_at: latest,
    oldest_event_at: oldest,
    // A newest event in the future means a skewed clock, not a negative age.
    age_ms: age === undefined ? null : Math.max(0, age),
    window_complete: options.windowComplete && !failed,
  };
}
