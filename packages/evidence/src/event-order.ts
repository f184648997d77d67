/** @module EventOrder: the order of events, `(timestamp, event_id)` (design 3.6). */
import type { TurnEvent } from "./event.ts";
import { compareTimes } from "./time.ts";

/** Negative when `a` stands before `b`. */
export function compareEvents(a: TurnEvent, b: TurnEvent): number {
  return (
    compareTimes(a.timestamp, b.timestamp) ||
    (a.event_id < b.event_id ? -1 : a.event_id > b.event_id ? 1 : 0)
  );
}
