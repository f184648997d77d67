/**
 * @module ToolOutcomes: outcome and badge of tool calls, and their counts (requirements:
 * Reconciliation 11). Fallback and degraded results are usable but counted apart from clean ones; a
 * provider error is a failure; an unrecorded outcome is unknown.
 */
import { toolBadges, toolOutcomes } from "@turnproof/semconv";
import type { ToolOutcome } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { repeatedCalls } from "../normalize/repeated-calls.ts";

/** Counts of tool results by outcome; the six and `unknown` add up to `results`. */
export interface ToolCounts {
  readonly results: number;
  /** `success`: the primary provider's full result. */
  readonly clean: number;
  readonly empty: number;
  readonly degraded: number;
  readonly fallback: number;
  readonly provider_error: number;
  readonly error: number;
  readonly unknown: number;
}

/** True for the result of a tool call; a start marker is not one. */
export function isToolResult(event: TurnEvent): boolean {
  return event.event_kind === "tool_call" && event.phase !== "start";
}

/**
 * The results of tool calls, one per call, in input order: spans that repeat a call inside its
 * span (an MCP client's and server's) are left out. A call with no more than a success status gets
 * the failure of its repetitions where all of them failed.
 *
 * @param events of whole turns: what lies between two spans decides whether they are one call
 */
export function toolResults(events: readonly TurnEvent[]): TurnEvent[] {
  const results = events.filter(isToolResult);
  if (results.length < 2) return results;
  const repeated = repeatedCalls(events);
  if (repeated.size === 0) return results;
  const failures = new Map<TurnEvent, ToolOutcome | undefined>();
  for (const [event, call] of repeated) {
    const outcome = toolOutcome(event);
    const failed =
      isToolFailure(outcome) && (!failures.has(call) || failures.get(call) !== undefined);
    failures.set(call, failed ? outcome : undefined);
  }
  return results.flatMap((event) => {
    if (repeated.has(event)) return [];
    const failure = failures.get(event);
    if (failure === undefined || toolOutcome(event) !== "success") return [event];
    return [{ ...event, attributes: { ...event.attributes, tool_outcome: failure } }];
  });
}

/**
 * Outcome of a tool result, or undefined when no outcome, flag or status is recorded. A recorded
 * outcome is used, except that a success cannot hide a failed status, a fallback or a limitation.
 * Otherwise, in this order: failed status, fallback flag, degraded flag, a result count of zero, a
 * success status.
 */
export function toolOutcome(event: TurnEvent): ToolOutcome | undefined {
  const { tool_outcome: stated, fallback_used, degraded, result_count } = event.attributes;
  if (isOutcome(stated) && stated !== "success") return stated;
  if (event.status === "error") return "error";
  if (fallback_used === true) return "fallback";
  if (degraded === true) return "degraded";
  if (stated === "success") return "success";
  if (result_count === 0) return "empty";
  return event.status === "success" ? "success" : undefined;
}

function isOutcome(value: string | undefined): value is ToolOutcome {
  return value !== undefined && (toolOutcomes as readonly string[]).includes(value);
}

/** True for outcomes that are failures of the tool. */
export function isToolFailure(outcome: ToolOutcome | undefined): boolean {
  return outcome === "error" || outcome === "provider_error";
}

/** True for outcomes with a usable result, clean or not. */
export function isToolUsable(outcome: ToolOutcome | undefined): boolean {
  return outcome !== undefined && !isToolFailure(outcome);
}

/** The badge's words, or undefined for an unknown outcome. */
export function toolBadge(event: TurnEvent): string | undefined {
  const outcome = toolOutcome(event);
  return outcome === undefined ? undefined : toolBadges[outcome];
}

/** Counts the tool calls with a result among the events, each call once. */
export function countTools(events: readonly TurnEvent[]): ToolCounts {
  const counts = {
    results: 0,
    clean: 0,
    empty: 0,
    degraded: 0,
    fallback: 0,
    provider_error: 0,
    error: 0,
    unknown: 0,
  };
  for (const event of toolResults(events)) {
    const outcome = toolOutcome(event);
    counts.results += 1;
    counts[outcome === undefined ? "unknown" : outcome === "success" ? "clean" : outcome] += 1;
  }
  return counts;
}
