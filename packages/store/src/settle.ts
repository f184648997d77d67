/**
 * @module Settle: converts the stored copies of whole roots to the events that readers receive:
 * identity resolved over the root, copies merged, each event with its position. Every provider's
 * reads end here, so that they agree; the rules themselves are in evidence.
 */
import { dedupeEvents, resolveEvents } from "@turnproof/evidence";

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
  const settled: Settled[] = [];
  for (const run of runsOfRoots(rows)) {
    const { events, copies } = dedupeEvents(resolveEvents(run));
    for (const [at, event] of events.entries()) {
      const stored = event as StoredEvent;
      settled.push({ event: stored, position: positionOf(stored), copies: copies[at] ?? 1 });
    }
  }
  return settled;
}

/**
 * The rows root by root where each root's are together, which providers return; else all at once.
 * Events of two roots are never copies, and a root's few ids are compared without a map.
 */
function runsOfRoots(rows: readonly StoredEvent[]): readonly (readonly StoredEvent[])[] {
  const runs: (readonly StoredEvent[])[] = [];
  const met = new Set<string | undefined>();
  let from = 0;
  for (let at = 1; at <= rows.length; at += 1) {
    const root = rows[from]?.root_trace_id;
    if (at < rows.length && rows[at]?.root_trace_id === root) continue;
    if (met.has(root)) return [rows];
    met.add(root);
    runs.push(rows.slice(from, at));
    from = at;
  }
  return runs;
}

/** The settled events of one or more whole roots, without positions. */
export function settledEvents(rows: readonly StoredEvent[]): readonly StoredEvent[] {
  return dedupeEvents(resolveEvents(rows)).events as StoredEvent[];
}
