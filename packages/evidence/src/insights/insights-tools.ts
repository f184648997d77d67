/**
 * @module InsightsTools: rules over tool calls (requirements: Reconciliation 11, Trace Insights).
 */
import type { TurnEvent } from "../event/event.ts";
import { groupByIdentity, membersOf } from "../event/identity-tuple.ts";
import { insightThresholds } from "./insight-table.ts";
import type { InsightMatch } from "./insight-table.ts";
import { spanKey } from "../event/span-key.ts";
import { isToolFailure, toolOutcome, toolResults } from "../turns/tool-outcomes.ts";

/** Failures, fallbacks, limitations, repetitions and unknown latencies of tool calls. */
export function toolInsights(events: readonly TurnEvent[]): InsightMatch[] {
  const results = toolResults(events);
  if (results.length === 0) return [];
  const found: InsightMatch[] = [];
  const failures = results.filter((event) => isToolFailure(toolOutcome(event)));
  const share = failures.length / results.length;
  const limit = insightThresholds;
  const many = failures.length >= limit.toolFailuresMin;
  if (many || (failures.length > 0 && share >= limit.toolFailureShareMin)) {
    const urgent = many && share >= limit.toolFailureShareP0;
    found.push({ code: "tool_failures", priority: urgent ? 0 : 1, evidence: failures });
  }
  const fallbacks = results.filter((event) => toolOutcome(event) === "fallback");
  if (fallbacks.length >= limit.fallbacksMin) {
    found.push({ code: "repeated_fallback", evidence: fallbacks });
  }
  const degraded = results.filter((event) => toolOutcome(event) === "degraded");
  if (degraded.length >= limit.degradedMin) {
    found.push({ code: "repeated_degraded", evidence: degraded });
  }
  found.push(...repeatedCalls(results));
  const timed = withLatency(events, results);
  if (timed / results.length < limit.toolLatencyShareMin) {
    found.push({ code: "tool_latency_missing", evidence: results });
  }
  return found;
}

/** Calls of one turn with the same tool and the same call fingerprint. */
function repeatedCalls(results: readonly TurnEvent[]): InsightMatch[] {
  const groups = groupByIdentity(results);
  const found: InsightMatch[] = [];
  groups.tuples.forEach((_, group) => {
    const byTool = new Map<string, Map<string, TurnEvent[]>>();
    for (const event of membersOf(results, groups, group)) {
      const { tool_name: tool, call_fingerprint: fingerprint } = event.attributes;
      if (tool === undefined || fingerprint === undefined) continue;
      const calls = byTool.get(tool) ?? new Map<string, TurnEvent[]>();
      byTool.set(tool, calls);
      const same = calls.get(fingerprint);
      if (same === undefined) calls.set(fingerprint, [event]);
      else same.push(event);
    }
    for (const [subject, calls] of byTool) {
      for (const evidence of calls.values()) {
        if (evidence.length < insightThresholds.identicalCallsMin) continue;
        found.push({ code: "repeated_tool_call", subject, evidence });
      }
    }
  });
  return found;
}

/** Number of results with a duration, their own or from their start. */
function withLatency(events: readonly TurnEvent[], results: readonly TurnEvent[]): number {
  const started = new Set<string>();
  for (const event of events) {
    const span = event.phase === "start" ? spanKey(event) : undefined;
    if (span !== undefined) started.add(span);
  }
  let timed = 0;
  for (const event of results) {
    const span = spanKey(event);
    const known = event.duration_ms !== undefined || event.started_at !== undefined;
    if (known || (span !== undefined && started.has(span))) timed += 1;
  }
  return timed;
}
