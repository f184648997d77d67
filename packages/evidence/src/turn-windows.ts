/**
 * @module TurnWindows: the turns of a window, each with its events and whether its part of the
 * window is whole: a loss concerns the turns that were open then, and no others.
 */
import { normalizeTime } from "@turnproof/semconv";

import { isReceivedBy } from "./coverage/join-pages.ts";
import { compareEvents } from "./event/event-order.ts";
import type { TurnEvent } from "./event/event.ts";
import { groupByIdentity } from "./event/identity-tuple.ts";
import { createIdentityTable } from "./event/identity-table.ts";
import { turnFields } from "./event/turn-key.ts";
import { readWindow, settledWindow } from "./normalize/window-events.ts";
import type { WindowEvents } from "./normalize/window-events.ts";
import { lossIntervals } from "./coverage/loss-intervals.ts";
import { assessWindow, isContested } from "./reconcile/reconcile-window.ts";
import type { WindowMetadata, WindowTrust } from "./reconcile/reconcile-window.ts";
import { kindsOutsideTurns } from "./turns/turn-row.ts";

/** One turn of a window; its events are in evidence order. */
export interface TurnWindow {
  readonly events: readonly [TurnEvent, ...TurnEvent[]];
  readonly window: WindowTrust;
}

/** The turns of a window, and its readable events. */
export interface TurnWindows {
  readonly turns: readonly TurnWindow[];
  readonly events: readonly TurnEvent[];
}

/**
 * Groups any array by turn, as the fold does. Never throws on data: a value that is no event makes
 * the window untrusted. Events after the mark of the window are left out.
 */
export function turnWindows(input: readonly unknown[], metadata?: WindowMetadata): TurnWindows {
  const mark = typeof metadata?.as_of === "string" ? normalizeTime(metadata.as_of) : undefined;
  const all = readWindow(input);
  const read = mark === undefined ? all : { ...all, events: all.events.filter(isReceivedBy(mark)) };
  const trustOf = trustByTurn(read, metadata);
  const table = createIdentityTable(turnFields);
  const groups: TurnEvent[][] = [];
  for (const event of read.events) {
    const members = (groups[table.idOf(event)] ??= []);
    members.push(event);
  }
  const turns = groups.flatMap((members) => {
    const events = inOrder(members) ? members : members.toSorted(compareEvents);
    const [first, ...others] = events;
    if (first === undefined || !events.some((event) => !kindsOutsideTurns.has(event.event_kind))) {
      return [];
    }
    return [{ events: [first, ...others] as const, window: trustOf(events) }];
  });
  return { turns, events: read.events };
}

/**
 * The window of one turn, without repeating the checks of a store.
 *
 * @param events of one turn, as read from a store: resolved over the whole root, each once
 */
export function settledTurnWindow(
  events: readonly [TurnEvent, ...TurnEvent[]],
  metadata: WindowMetadata,
): TurnWindow {
  const sorted = inOrder(events) ? events : events.toSorted(compareEvents);
  const trustOf = trustByTurn(settledWindow(sorted), metadata);
  return { events: sorted as readonly [TurnEvent, ...TurnEvent[]], window: trustOf(sorted) };
}

function inOrder(events: readonly TurnEvent[]): boolean {
  for (let at = 1; at < events.length; at += 1) {
    if (compareEvents(events[at - 1] as TurnEvent, events[at] as TurnEvent) > 0) return false;
  }
  return true;
}

/** Trust of each turn; worked out once where nothing in it depends on the turn. */
function trustByTurn(
  read: WindowEvents,
  metadata: WindowMetadata | undefined,
): (events: readonly TurnEvent[]) => WindowTrust {
  const losses: unknown = metadata?.losses;
  const reported = lossIntervals(read.reports);
  const roots: unknown = metadata?.quarantined_roots;
  const depends =
    reported.length > 0 ||
    read.events.some(isContested) ||
    (Array.isArray(losses) && losses.length > 0) ||
    (Array.isArray(roots) && roots.length > 0);
  if (!depends) {
    const same = assessWindow(read, metadata);
    return () => same;
  }
  return (events) => assessWindow({ ...read, events, groups: groupByIdentity(events) }, metadata);
}
