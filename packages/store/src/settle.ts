/**
 * @module Settle: converts the stored copies of whole roots to the events that readers receive:
 * identity resolved over the root, copies merged, each event with its position. Every provider's
 * reads end here, so that they agree; the rules themselves are in evidence.
 */
import { dedupeEvents, resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

import { groupBy } from "@turnproof/semconv";
import { positionOf } from "./position.ts";
import type { Position } from "./position.ts";
import type { StoredEvent } from "./stored-event.ts";

/** An event with its position in a page. */
export interface Settled {
  readonly event: StoredEvent;
  readonly position: Position;
  /** Stored copies of this event, itself included. */
  readonly copies: number;
}

/**
 * Settles the stored copies of one or more whole roots; the order of the rows does not matter. The
 * position of an event is the first receipt of its shown content.
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

/** The settled events of one or more whole roots, without positions. */
export function settledEvents(rows: readonly StoredEvent[]): readonly StoredEvent[] {
  return dedupeEvents(resolveEvents(rows)).events as StoredEvent[];
}

/** Counts the rows of an event; evidence defines when two rows are one event. */
function copyCounter(resolved: readonly TurnEvent[]): (event: TurnEvent) => number {
  const sameId = groupBy(resolved, (event) => event.event_id);
  return (event) => {
    const group = sameId.get(event.event_id) ?? [];
    if (dedupeEvents(group).events.length === 1) return group.length;
    return group.filter((row) => dedupeEvents([event, row]).events.length === 1).length;
  };
}
