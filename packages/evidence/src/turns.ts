/**
 * @module Turns: one row per turn, folded from its events (design 6.2). A row says only what its
 * events say: what was not recorded is null, and a turn that began and never ended says so.
 */
import { tenantState } from "@turnproof/semconv";
import type {
  CacheDecision,
  Dialect,
  EventKind,
  EventStatus,
  TenantState,
  TimingState,
} from "@turnproof/semconv";

import { unfinishedStarts } from "./completion.ts";
import { compareEvents } from "./event-order.ts";
import type { EventAttributeMap, EventIdentity, TurnEvent } from "./event.ts";
import { createIdentityTable } from "./identity-table.ts";
import { readSupply } from "./supply.ts";
import { compareTimes, elapsedMs } from "./time.ts";
import { countTools } from "./tool-outcomes.ts";
import type { ToolCounts } from "./tool-outcomes.ts";
import { turnFields } from "./turn-key.ts";
import { countUsage } from "./usage.ts";
import type { Usage } from "./usage.ts";

/** A turn as the lists show it. Unknown identity is absent; `user_id` null is anonymous. */
export interface TurnRow extends EventIdentity, Usage {
  readonly tenant_state: TenantState;
  /** First and last time of anything in the turn, ISO 8601 UTC. */
  readonly started_at: string;
  readonly ended_at: string;
  /** Milliseconds of the turn's own result; else from first to last event; null when untold. */
  readonly duration_ms: number | null;
  /** `measured` by the turn's result; `missing_completion` when it began and never ended. */
  readonly timing_state: TimingState;
  /** Of the turn's own result; `started` when it never ended; `unknown` without a turn event. */
  readonly status: EventStatus;
  /** True when any event of the turn ended in error, recovered from or not. */
  readonly has_error: boolean;
  readonly event_count: number;
  readonly event_kind_counts: { readonly [kind in EventKind]?: number };
  readonly models: readonly string[];
  readonly tool_names: readonly string[];
  readonly tools: ToolCounts;
  /** Retrieved, supplied and referenced memories; null when nobody recorded the stage. */
  readonly memory_retrieved: number | null;
  readonly memory_supplied: number | null;
  readonly memory_referenced: number | null;
  readonly memory_degraded: boolean | null;
  /** The latest decision of the semantic cache, null when it was not asked. */
  readonly cache_decision: CacheDecision | null;
  /** Calls of any kind that began and never ended. */
  readonly missing_completion: number;
  readonly coverage_profiles: readonly string[];
  readonly dialects: readonly Dialect[];
  /** Services that wrote the turn, their releases, and producers that sent it; empty when untold. */
  readonly services: readonly string[];
  readonly releases: readonly string[];
  readonly producers: readonly string[];
  /** Attributes refused at the doors, by code. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Latest receipt among the events: what the row rests on. */
  readonly received_at: string | null;
  /** Filled by whoever holds the judge's verdicts; null is not judged. */
  readonly verdict: string | null;
  readonly finding_codes: readonly string[] | null;
  /** Insights of the turn, where it was judged. */
  readonly insight_codes?: readonly string[];
}

/** These alone make no turn: structure, rows of the other stores, and reports about producers. */
export const bystanders: ReadonlySet<EventKind> = new Set([
  "span",
  "conversation",
  "execution_log",
  "data_quality",
]);

/**
 * The attributes that a row is folded from. Of the rest of an event a row takes identity, times,
 * kind, phase, status, dialect, producer, receipt and refusals, and no reference and no link.
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

/**
 * Folds resolved, deduplicated events of whole roots into one row per (agent, thread, root, turn)
 * and tenant, newest last event first, then by root, turn, agent and thread. A group of bystanders
 * alone gives no row. The order and repetition of the input make no difference to the rows.
 */
export function foldTurns(events: readonly TurnEvent[]): TurnRow[] {
  const table = createIdentityTable(turnFields);
  const groups: TurnEvent[][] = [];
  for (const event of events) {
    const group = table.idOf(event);
    const members = groups[group];
    if (members === undefined) groups[group] = [event];
    else members.push(event);
  }
  return groups
    .filter((members) => members.some((event) => !bystanders.has(event.event_kind)))
    .map((members) => foldTurn(members.toSorted(compareEvents)))
    .toSorted(compareRows);
}

function compareRows(a: TurnRow, b: TurnRow): number {
  const order = compareTimes(b.ended_at, a.ended_at);
  if (order !== 0) return order;
  for (const field of ["root_trace_id", "turn_id", "agent_id", "thread_id", "user_id"] as const) {
    const left = a[field] ?? "";
    const right = b[field] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Events of one turn in evidence order; never empty. */
function foldTurn(events: readonly TurnEvent[]): TurnRow {
  const first = events[0] as TurnEvent;
  // What merely stands around a turn, such as the request that it answered, is not its extent.
  const own = events.filter((event) => !bystanders.has(event.event_kind));
  const started_at = own.map((event) => event.started_at ?? event.timestamp).reduce(earlier);
  const ended_at = (own.at(-1) ?? first).timestamp;
  const supply = readSupply(events);
  const extent = extentOf(events, started_at, ended_at);
  return {
    ...identityOf(events),
    tenant_state: tenantState(first.user_id),
    started_at,
    ended_at: compareTimes(ended_at, started_at) < 0 ? started_at : ended_at,
    ...extent,
    has_error: own.some((event) => event.status === "error"),
    event_count: events.length,
    event_kind_counts: countBy(events.map((event) => event.event_kind)),
    models: distinct(events.flatMap(({ attributes: a }) => a.response_model ?? a.model ?? [])),
    tool_names: distinct(events.flatMap(({ attributes }) => attributes.tool_name ?? [])),
    tools: countTools(events),
    ...countUsage(events),
    memory_retrieved: supply.retrieved.value,
    memory_supplied: supply.supplied.value,
    memory_referenced: supply.referenced.value,
    memory_degraded: supply.degraded,
    cache_decision: lastCacheDecision(events),
    missing_completion: unfinishedStarts(events).length,
    coverage_profiles: distinct(events.flatMap((event) => event.attributes.coverage_profile ?? [])),
    dialects: distinct(events.flatMap((event) => event.dialect ?? [])),
    services: distinct(events.flatMap((event) => event.service_name ?? event.application_id ?? [])),
    releases: distinct(events.flatMap(({ attributes: of }) => of.service_version ?? [])),
    producers: distinct(events.flatMap(({ producer_id: id }) => id ?? [])),
    dropped: sumDropped(events),
    received_at: events.flatMap((event) => event.received_at ?? []).reduce(later, "") || null,
    verdict: null,
    finding_codes: null,
  };
}

/** The group's own fields are equal; the others are taken where all that say them agree. */
function identityOf(events: readonly TurnEvent[]): EventIdentity {
  const first = events[0] as TurnEvent;
  const agreed = (field: "application_id" | "memory_id" | "run_id"): object => {
    const values = new Set(events.flatMap((event) => event[field] ?? []));
    // A turn that spans services keeps the one of its own event, else none is "the" application.
    const own = turnResult(events)?.[field];
    const value = own ?? (values.size === 1 ? [...values][0] : undefined);
    return value === undefined ? {} : { [field]: value };
  };
  return {
    ...agreed("application_id"),
    ...(first.agent_id === undefined ? {} : { agent_id: first.agent_id }),
    ...(first.user_id === undefined ? {} : { user_id: first.user_id }),
    ...agreed("memory_id"),
    ...(first.thread_id === undefined ? {} : { thread_id: first.thread_id }),
    ...agreed("run_id"),
    ...(first.turn_id === undefined ? {} : { turn_id: first.turn_id }),
    ...(first.root_trace_id === undefined ? {} : { root_trace_id: first.root_trace_id }),
  };
}

/** The result that speaks for the turn: of the span that names it, else the first to begin. */
function turnResult(events: readonly TurnEvent[]): TurnEvent | undefined {
  const results = events.filter((event) => event.event_kind === "turn" && event.phase !== "start");
  const named = results.find(
    (event) => event.span_id !== undefined && event.span_id === event.turn_id,
  );
  const start = (event: TurnEvent): string => event.started_at ?? event.timestamp;
  return (
    named ?? results.toSorted((a, b) => compareTimes(start(a), start(b)) || compareEvents(a, b))[0]
  );
}

function extentOf(
  events: readonly TurnEvent[],
  startedAt: string,
  endedAt: string,
): Pick<TurnRow, "duration_ms" | "timing_state" | "status"> {
  const result = turnResult(events);
  const elapsed = elapsedMs(startedAt, endedAt) ?? null;
  // Events of one instant say nothing of how long it took.
  const seen = elapsed === 0 ? null : elapsed;
  if (result !== undefined) {
    const own =
      result.duration_ms ??
      (result.started_at === undefined
        ? undefined
        : elapsedMs(result.started_at, result.timestamp));
    // An end before its start says that a clock is wrong, and nothing of how long it took.
    if (own !== undefined && own < 0) {
      return { duration_ms: null, timing_state: "unknown", status: result.status };
    }
    const timing_state = own === undefined ? "unknown" : "measured";
    return { duration_ms: own ?? seen, timing_state, status: result.status };
  }
  const begun = events.some((event) => event.event_kind === "turn");
  if (begun) return { duration_ms: seen, timing_state: "missing_completion", status: "started" };
  const timing_state = elapsed === 0 ? "instantaneous" : "unknown";
  return { duration_ms: elapsed, timing_state, status: "unknown" };
}

function lastCacheDecision(events: readonly TurnEvent[]): CacheDecision | null {
  const decided = events.findLast((event) => event.attributes.cache_decision !== undefined);
  return (decided?.attributes.cache_decision as CacheDecision | undefined) ?? null;
}

function sumDropped(events: readonly TurnEvent[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const event of events) {
    for (const [code, count] of Object.entries(event.dropped ?? {})) {
      sums[code] = (sums[code] ?? 0) + count;
    }
  }
  const names = Object.keys(sums).toSorted();
  return Object.fromEntries(names.map((code) => [code, sums[code] ?? 0]));
}

function countBy<T extends string>(names: readonly T[]): { [name in T]?: number } {
  const counts: { [name in T]?: number } = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function distinct<T extends string>(values: readonly T[]): T[] {
  return [...new Set(values)].toSorted();
}

function earlier(a: string, b: string): string {
  return compareTimes(a, b) <= 0 ? a : b;
}

function later(a: string, b: string): string {
  return a !== "" && compareTimes(a, b) >= 0 ? a : b;
}
