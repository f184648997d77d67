/**
 * @module Turns: one row per turn, folded from its events (collector: Answer). A row contains only
 * what its events recorded: everything else is null, and a turn that began and never ended is
 * marked as such.
 */
import { compareTimes, elapsedMs, later, tenantState } from "@turnproof/semconv";
import type {
  CacheDecision,
  Dialect,
  EventKind,
  EventStatus,
  TenantState,
  TimingState,
} from "@turnproof/semconv";

import { unfinishedStarts } from "./completion.ts";
import { compareEvents } from "../event/event-order.ts";
import type { EventAttributeMap, EventIdentity, TurnEvent } from "../event/event.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { parentKey } from "../event/span-key.ts";
import { readSupply } from "./supply.ts";
import { compareText } from "../event/text-order.ts";
import { countTools } from "./tool-outcomes.ts";
import type { ToolCounts } from "./tool-outcomes.ts";
import { turnFields } from "../event/turn-key.ts";
import { countUsage } from "../normalize/usage.ts";
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

/** A turn and the events of its row, in evidence order. */
export interface FoldedTurn {
  readonly row: TurnRow;
  readonly events: readonly TurnEvent[];
}

/**
 * Folds resolved, deduplicated events of whole roots into one row per (agent, thread, root, turn)
 * and tenant, newest last event first, then by root, turn, agent and thread. A group with only
 * such bystander kinds gives no row. Order and repetition of the input make no difference.
 */
export function foldTurns(events: readonly TurnEvent[]): TurnRow[] {
  return foldedTurns(events).map(({ row }) => row);
}

/** The rows of {@link foldTurns}, each with its events. */
export function foldedTurns(events: readonly TurnEvent[]): FoldedTurn[] {
  const table = createIdentityTable(turnFields);
  const groups: TurnEvent[][] = [];
  for (const event of events) {
    const group = table.idOf(event);
    const members = groups[group];
    if (members === undefined) groups[group] = [event];
    else members.push(event);
  }
  return groups
    .filter((members) => members.some((event) => !kindsOutsideTurns.has(event.event_kind)))
    .map((members) => {
      const own = members.toSorted(compareEvents);
      return { row: foldTurn(own), events: own };
    })
    .toSorted((a, b) => compareRows(a.row, b.row));
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
  // Surrounding events, such as the request that it answered, are not part of its extent.
  const own = events.filter((event) => !kindsOutsideTurns.has(event.event_kind));
  const started_at = own.map((event) => event.started_at ?? event.timestamp).reduce(earlier);
  const ended_at = (own.at(-1) ?? first).timestamp;
  const result = turnResult(events);
  const extent = extentOf(events, result, [started_at, ended_at]);
  return {
    ...identityOf(events, result),
    tenant_state: tenantState(first.user_id),
    started_at,
    ended_at: compareTimes(ended_at, started_at) < 0 ? started_at : ended_at,
    ...extent,
    has_error: own.some((event) => event.status === "error"),
    event_count: events.length,
    event_kind_counts: countKinds(events),
    models: distinct(events, ({ attributes: of }) => of.response_model ?? of.model),
    tool_names: distinct(events, ({ attributes }) => attributes.tool_name),
    tools: countTools(events),
    ...countUsage(events),
    ...memoryOf(events),
    cache_decision: lastCacheDecision(events),
    missing_completion: unfinishedStarts(events).length,
    coverage_profiles: distinct(events, ({ attributes: of }) => of.coverage_profile),
    dialects: distinct(events, (event) => event.dialect),
    services: distinct(events, (event) => event.service_name ?? event.application_id),
    releases: distinct(events, ({ attributes: of }) => of.service_version),
    producers: distinct(events, ({ producer_id: id }) => id),
    dropped: sumDropped(events),
    received_at: events.reduce<string | null>((at, event) => later(at, event.received_at), null),
    verdict: null,
    finding_codes: null,
  };
}

type MemoryFigures = Pick<
  TurnRow,
  "memory_retrieved" | "memory_supplied" | "memory_referenced" | "memory_degraded"
>;

const noMemory: MemoryFigures = {
  memory_retrieved: null,
  memory_supplied: null,
  memory_referenced: null,
  memory_degraded: null,
};

function memoryOf(events: readonly TurnEvent[]): MemoryFigures {
  if (!events.some(({ event_kind: kind }) => kind.startsWith("memory_"))) return noMemory;
  const { retrieved, supplied, referenced, degraded } = readSupply(events);
  return {
    memory_retrieved: retrieved.value,
    memory_supplied: supplied.value,
    memory_referenced: referenced.value,
    memory_degraded: degraded,
  };
}

/** The group's own fields are equal; the others are used where all recorded values agree. */
function identityOf(events: readonly TurnEvent[], result: TurnEvent | undefined): EventIdentity {
  const first = events[0] as TurnEvent;
  const agreed = (field: "application_id" | "memory_id" | "run_id"): object => {
    // A turn across services keeps the application of its own event, else it has none.
    const value = result?.[field] ?? onlyValue(events, field);
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

/** The only recorded value; undefined with none or several. */
function onlyValue(
  events: readonly TurnEvent[],
  field: "application_id" | "memory_id" | "run_id",
): string | undefined {
  let only: string | undefined;
  for (const { [field]: value } of events) {
    if (value === undefined || value === only) continue;
    if (only !== undefined) return undefined;
    only = value;
  }
  return only;
}

/** The result of the turn: of the span that names it, else of the first to begin. */
export function turnResult(events: readonly TurnEvent[]): TurnEvent | undefined {
  const results = events.filter((event) => event.event_kind === "turn" && event.phase !== "start");
  const named = results.find(
    (event) => event.span_id !== undefined && event.span_id === event.turn_id,
  );
  const start = (event: TurnEvent): string => event.started_at ?? event.timestamp;
  return (
    named ?? results.toSorted((a, b) => compareTimes(start(a), start(b)) || compareEvents(a, b))[0]
  );
}

/**
 * The result of the turn, where no other one can be that of it. In a window with a gap the result
 * of another span may be missing, and a span of the turn that is open may be around one that ended
 * and has a parent; neither matters beside the result of the span that names the turn.
 *
 * @param whole the window lacks nothing
 */
export function certainResult(events: readonly TurnEvent[], whole: boolean): TurnEvent | undefined {
  const result = turnResult(events);
  if (result === undefined || result.span_id === result.turn_id) return result;
  if (!whole) return undefined;
  const turns = events.filter(({ event_kind: kind }) => kind === "turn");
  const outermost = parentKey(result) === undefined;
  return outermost || unfinishedStarts(turns).length === 0 ? result : undefined;
}

function extentOf(
  events: readonly TurnEvent[],
  result: TurnEvent | undefined,
  [startedAt, endedAt]: readonly [startedAt: string, endedAt: string],
): Pick<TurnRow, "duration_ms" | "timing_state" | "status"> {
  const elapsed = elapsedMs(startedAt, endedAt) ?? null;
  // Events of one instant give no duration.
  const seen = elapsed === 0 ? null : elapsed;
  if (result !== undefined) {
    const own =
      result.duration_ms ??
      (result.started_at === undefined
        ? undefined
        : elapsedMs(result.started_at, result.timestamp));
    // An end before its start means a wrong clock and gives no duration.
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
  const sums = new Map<string, number>();
  for (const event of events) {
    for (const [code, count] of Object.entries(event.dropped ?? {})) {
      sums.set(code, (sums.get(code) ?? 0) + count);
    }
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => compareText(a, b)));
}

function countKinds(events: readonly TurnEvent[]): { [kind in EventKind]?: number } {
  const counts = new Map<EventKind, number>();
  for (const { event_kind: kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts.keys()].toSorted();
  return Object.fromEntries(kinds.map((kind) => [kind, counts.get(kind)]));
}

/** Up to this many values a list is searched; beyond, a set is used. */
const searchedMax = 16;

/** Distinct values in text order; most lists of a turn have one value or none. */
function distinct<T extends string>(
  events: readonly TurnEvent[],
  read: (event: TurnEvent) => T | undefined,
): T[] {
  const values: T[] = [];
  let met: Set<T> | undefined;
  for (const event of events) {
    const value = read(event);
    if (value === undefined || (met?.has(value) ?? values.includes(value))) continue;
    values.push(value);
    if (met !== undefined) met.add(value);
    else if (values.length === searchedMax) met = new Set(values);
  }
  return values.length < 2 ? values : values.toSorted();
}

function earlier(a: string, b: string): string {
  return compareTimes(a, b) <= 0 ? a : b;
}
