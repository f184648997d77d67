/**
 * @module Settle: stored copies of whole roots become events as readers see them: identity resolved
 * over the root, copies of one event made one, each event with its place in a page. Every provider
 * ends its reads here, so they cannot differ in it; the rules themselves are evidence's.
 */
import { dedupeEvents, resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

import { groupBy } from "@turnproof/semconv";
import { positionOf } from "./position.ts";
import type { Position } from "./position.ts";
import type { StoredEvent } from "./stored-event.ts";

/** An event as shown, and where it stands in a page. */
export interface Settled {
  readonly event: StoredEvent;
  readonly position: Position;
  /** Stored copies that this event stands for, itself included. */
  readonly copies: number;
}

/**
 * Settles the stored copies of one or more whole roots; the order of the rows does not matter. An
 * event stands at the first receipt of the content that is shown.
 */
export function settle(rows: readonly StoredEvent[]): Settled[] {
  const resolved = resolveEvents(rows);
  const { events, duplicatesRemoved } = dedupeEvents(resolved);
  const copiesOf = duplicatesRemoved === 0 ? () => 1 : copyCounter(resolved);
  return events.map((event) => {
    const stored = event as StoredEvent;
    return { event: stored, position: positionOf(stored), copies: copiesOf(event) };
  });
}

/** The events of one or more whole roots as readers see them, without their places. */
export function settledEvents(rows: readonly StoredEvent[]): readonly StoredEvent[] {
  return dedupeEvents(resolveEvents(rows)).events as StoredEvent[];
}

/** Counts the rows behind an event; what makes two rows one event stays evidence's to say. */
function copyCounter(resolved: readonly TurnEvent[]): (event: TurnEvent) => number {
  const sameId = groupBy(resolved, (event) => event.event_id);
  return (event) => {
    const group = sameId.get(event.event_id) ?? [];
    if (dedupeEvents(group).events.length === 1) return group.length;
    return group.filter((row) => dedupeEvents([event, row]).events.length === 1).length;
  };
}
