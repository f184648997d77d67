/**
 * @module WaterfallNodes: converts the events of one turn to nodes. Start and result are paired by
 * span, every event becomes part of exactly one node, and a node without a known duration is
 * marked (evidence: Waterfall).
 */
import type { TimingState } from "@turnproof/semconv";
import { instantMs } from "@turnproof/semconv";

import { compareEvents } from "../event/event-order.ts";
import type { TurnEvent } from "../event/event.ts";
import { spanKey } from "../event/span-key.ts";

/** A node without its place in the tree. Times are epoch milliseconds, NaN for unknown. */
export interface EventPair {
  /** The span that start and result share; absent for an event without one. */
  readonly span: string | undefined;
  start: TurnEvent | undefined;
  result: TurnEvent | undefined;
  /** A point in time: neither a start nor a result. */
  point: TurnEvent | undefined;
  /** All events of the node, in order of time. */
  readonly eventIds: string[];
  /** The enclosing span of a point that was recorded with that span's id. */
  readonly inside: string | undefined;
  /** Index among the group's nodes, by start. */
  index: number;
  /** The recorded parent, and its node if the group has it. */
  parent: string | undefined;
  above: EventPair | undefined;
  /** The recorded cause. */
  cause: string | undefined;
  startMs: number;
  endMs: number;
  timing: TimingState;
  /** True where the end is before the start by their own clocks. */
  backwards: boolean;
}

/** The primary event of the node: its result, else its start, else the point. */
export function primaryOf(pair: EventPair): TurnEvent {
  return (pair.result ?? pair.start ?? pair.point) as TurnEvent;
}

function newPair(event: TurnEvent, span: string | undefined, inside?: string): EventPair {
  const { phase } = event;
  return {
    span,
    start: phase === "start" ? event : undefined,
    result: phase === "result" ? event : undefined,
    point: phase === "event" ? event : undefined,
    // Written as a literal: an empty list that grows allocates sixteen places.
    eventIds: [event.event_id],
    inside,
    index: 0,
    parent: undefined,
    above: undefined,
    cause: undefined,
    startMs: Number.NaN,
    endMs: Number.NaN,
    timing: "unknown",
    backwards: false,
  };
}

function place(pair: EventPair, event: TurnEvent): void {
  if (event.phase === "start") pair.start ??= event;
  else if (event.phase === "result") pair.result = event;
  else pair.point ??= event;
  pair.eventIds.push(event.event_id);
}

/**
 * The nodes of one group of events, ordered by start, each with its parent's node. Starts and
 * results claim spans first; a point under the id of such a span, or a result of another kind,
 * becomes a child of it instead of being merged into it.
 */
export function pairEvents(members: readonly TurnEvent[]): EventPair[] {
  const events = inOrder(members) ? members : members.toSorted(compareEvents);
  const bySpan = new Map<string, EventPair>();
  const pairs: EventPair[] = [];
  const claim = (event: TurnEvent, points: boolean): void => {
    const span = spanKey(event);
    const owner = span === undefined ? undefined : bySpan.get(span);
    if (span === undefined) pairs.push(newPair(event, undefined));
    else if (owner === undefined) {
      const pair = newPair(event, span);
      bySpan.set(span, pair);
      pairs.push(pair);
    } else if (points || primaryOf(owner).event_kind !== event.event_kind) {
      pairs.push(newPair(event, undefined, span));
    } else place(owner, event);
  };
  for (const event of events) if (event.phase !== "event") claim(event, false);
  for (const event of events) if (event.phase === "event") claim(event, true);
  for (const pair of pairs) {
    const parent = parentOf(pair);
    pair.parent = parent;
    if (parent !== undefined) pair.above = bySpan.get(parent);
    pair.cause = causeOf(pair);
    time(pair);
  }
  if (!areSorted(pairs)) pairs.sort(comparePairs);
  for (let index = 0; index < pairs.length; index += 1) (pairs[index] as EventPair).index = index;
  return pairs;
}

function areSorted(pairs: readonly EventPair[]): boolean {
  for (let at = 1; at < pairs.length; at += 1) {
    if (comparePairs(pairs[at - 1] as EventPair, pairs[at] as EventPair) > 0) return false;
  }
  return true;
}

function inOrder(events: readonly TurnEvent[]): boolean {
  for (let at = 1; at < events.length; at += 1) {
    if (compareEvents(events[at - 1] as TurnEvent, events[at] as TurnEvent) > 0) return false;
  }
  return true;
}

function validDuration(event: TurnEvent): number | undefined {
  const duration = event.duration_ms;
  return duration !== undefined && duration >= 0 ? duration : undefined;
}

/** Fills start, end and timing state from the recorded events. */
function time(pair: EventPair): void {
  const { start, result, point } = pair;
  const began = result?.started_at ?? start?.started_at ?? start?.timestamp ?? point?.started_at;
  const ended = result ?? (start === undefined ? point : undefined);
  if (ended === undefined) {
    if (began !== undefined) pair.startMs = instantMs(began);
    pair.timing = "missing_completion";
    return;
  }
  pair.endMs = instantMs(ended.timestamp);
  const recorded = validDuration(ended);
  if (result === undefined && began === undefined && (recorded ?? 0) === 0) {
    pair.startMs = pair.endMs;
    pair.timing = "instantaneous";
  } else if (began !== undefined) {
    pair.startMs = instantMs(began);
    pair.backwards = pair.endMs < pair.startMs;
    pair.timing = recorded === undefined && pair.backwards ? "unknown" : "measured";
  } else if (recorded !== undefined) {
    pair.startMs = pair.endMs - recorded;
    pair.timing = "measured";
  }
}

/** Duration in milliseconds, or null where it is not known. */
export function durationOf(pair: EventPair): number | null {
  if (pair.timing === "instantaneous") return 0;
  if (pair.timing !== "measured") return null;
  const ended = (pair.result ?? pair.point) as TurnEvent;
  return validDuration(ended) ?? pair.endMs - pair.startMs;
}

/** Sort key among siblings: its start, or its end where the start is unknown. */
export function positionMs(pair: EventPair): number {
  return Number.isNaN(pair.startMs) ? pair.endMs : pair.startMs;
}

function comparePairs(a: EventPair, b: EventPair): number {
  return positionMs(a) - positionMs(b) || compareEvents(primaryOf(a), primaryOf(b));
}

/** The recorded parent, of its result or else of its start. */
function parentOf(pair: EventPair): string | undefined {
  if (pair.inside !== undefined) return pair.inside;
  const named = pair.result?.parent_span_id;
  const other = pair.start ?? pair.point;
  return named ?? (other === undefined ? undefined : namedBy(other));
}

/** A span that names itself is a cycle of one; a marker names the span that it announces. */
function namedBy(event: TurnEvent): string | undefined {
  const { parent_span_id: parent } = event;
  const isMarker = event.phase === "start" && event.event_id === `${parent}:start`;
  return isMarker ? undefined : parent;
}

/** The event that caused the node, from its result or else its start. */
function causeOf(pair: EventPair): string | undefined {
  return (
    pair.result?.caused_by_event_id ??
    pair.start?.caused_by_event_id ??
    pair.point?.caused_by_event_id
  );
}
