/**
 * @module Turns: one row per turn, folded from its events (collector: Answer). A row contains only
 * what its events recorded: everything else is null, and a turn that began and never ended is
 * marked as such.
 */
import { compareTimes, later, tenantState } from "@turnproof/semconv";
import type { CacheDecision, EventKind } from "@turnproof/semconv";

import { unfinishedStarts } from "./completion.ts";
import { compareEvents } from "../event/event-order.ts";
import type { EventIdentity, TurnEvent } from "../event/event.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { readSupply } from "./supply.ts";
import { compareText } from "../event/text-order.ts";
import { countTools } from "./tool-outcomes.ts";
import { turnFields } from "../event/turn-key.ts";
import { countUsage } from "../normalize/usage.ts";
import { kindsOutsideTurns } from "./turn-row.ts";
import type { TurnRow } from "./turn-row.ts";
import { turnResult, extentOf } from "./turn-result.ts";
import { distinct, onlyValue } from "./distinct-values.ts";

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

function earlier(a: string, b: string): string {
  return compareTimes(a, b) <= 0 ? a : b;
}
