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
export interface NodeDraft {
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
  above: NodeDraft | undefined;
  /** The recorded cause. */
  cause: string | undefined;
  startMs: number;
  endMs: number;
  timing: TimingState;
  /** True where the end is before the start by their own clocks. */
  backwards: boolean;
}

/** The primary event of the node: its result, else its start, else the point. */
export function primaryOf(draft: NodeDraft): TurnEvent {
  return (draft.result ?? draft.start ?? draft.point) as TurnEvent;
}

function newDraft(event: TurnEvent, span: string | undefined, inside?: string): NodeDraft {
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

function place(draft: NodeDraft, event: TurnEvent): void {
  if (event.phase === "start") draft.start ??= event;
  else if (event.phase === "result") draft.result = event;
  else draft.point ??= event;
  draft.eventIds.push(event.event_id);
}

/**
 * The nodes of one group of events, ordered by start, each with its parent's node. Starts and
 * results claim spans first; a point under the id of such a span, or a result of another kind,
 * becomes a child of it instead of being merged into it.
 */
export function pairEvents(members: readonly TurnEvent[]): NodeDraft[] {
  const events = inOrder(members) ? members : members.toSorted(compareEvents);
  const bySpan = new Map<string, NodeDraft>();
  const drafts: NodeDraft[] = [];
  const claim = (event: TurnEvent, points: boolean): void => {
    const span = spanKey(event);
    const owner = span === undefined ? undefined : bySpan.get(span);
    if (span === undefined) drafts.push(newDraft(event, undefined));
    else if (owner === undefined) {
      const draft = newDraft(event, span);
      bySpan.set(span, draft);
      drafts.push(draft);
    } else if (points || primaryOf(owner).event_kind !== event.event_kind) {
      drafts.push(newDraft(event, undefined, span));
    } else place(owner, event);
  };
  for (const event of events) if (event.phase !== "event") claim(event, false);
  for (const event of events) if (event.phase === "event") claim(event, true);
  for (const draft of drafts) {
    const parent = parentOf(draft);
    draft.parent = parent;
    if (parent !== undefined) draft.above = bySpan.get(parent);
    draft.cause = causeOf(draft);
    time(draft);
  }
  if (!areSorted(drafts)) drafts.sort(compareDrafts);
  for (let index = 0; index < drafts.length; index += 1) (drafts[index] as NodeDraft).index = index;
  return drafts;
}

function areSorted(drafts: readonly NodeDraft[]): boolean {
  for (let at = 1; at < drafts.length; at += 1) {
    if (compareDrafts(drafts[at - 1] as NodeDraft, drafts[at] as NodeDraft) > 0) return false;
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
function time(draft: NodeDraft): void {
  const { start, result, point } = draft;
  const began = result?.started_at ?? start?.started_at ?? start?.timestamp ?? point?.started_at;
  const ended = result ?? (start === undefined ? point : undefined);
  if (ended === undefined) {
    if (began !== undefined) draft.startMs = instantMs(began);
    draft.timing = "missing_completion";
    return;
  }
  draft.endMs = instantMs(ended.timestamp);
  const recorded = validDuration(ended);
  if (result === undefined && began === undefined && (recorded ?? 0) === 0) {
    draft.startMs = draft.endMs;
    draft.timing = "instantaneous";
  } else if (began !== undefined) {
    draft.startMs = instantMs(began);
    draft.backwards = draft.endMs < draft.startMs;
    draft.timing = recorded === undefined && draft.backwards ? "unknown" : "measured";
  } else if (recorded !== undefined) {
    draft.startMs = draft.endMs - recorded;
    draft.timing = "measured";
  }
}

/** Duration in milliseconds, or null where it is not known. */
export function durationOf(draft: NodeDraft): number | null {
  if (draft.timing === "instantaneous") return 0;
  if (draft.timing !== "measured") return null;
  const ended = (draft.result ?? draft.point) as TurnEvent;
  return validDuration(ended) ?? draft.endMs - draft.startMs;
}

/** Sort key among siblings: its start, or its end where the start is unknown. */
export function positionMs(draft: NodeDraft): number {
  return Number.isNaN(draft.startMs) ? draft.endMs : draft.startMs;
}

function compareDrafts(a: NodeDraft, b: NodeDraft): number {
  return positionMs(a) - positionMs(b) || compareEvents(primaryOf(a), primaryOf(b));
}

/** The recorded parent, of its result or else of its start. */
function parentOf(draft: NodeDraft): string | undefined {
  if (draft.inside !== undefined) return draft.inside;
  const named = draft.result?.parent_span_id;
  const other = draft.start ?? draft.point;
  return named ?? (other === undefined ? undefined : namedBy(other));
}

/** A span that names itself is a cycle of one; a marker names the span that it announces. */
function namedBy(event: TurnEvent): string | undefined {
  const { parent_span_id: parent } = event;
  const isMarker = event.phase === "start" && event.event_id === `${parent}:start`;
  return isMarker ? undefined : parent;
}

/** The event that caused the node, from its result or else its start. */
function causeOf(draft: NodeDraft): string | undefined {
  return (
    draft.result?.caused_by_event_id ??
    draft.start?.caused_by_event_id ??
    draft.point?.caused_by_event_id
  );
}
