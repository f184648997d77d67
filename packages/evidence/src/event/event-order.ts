/** @module EventOrder: the order of events, `(timestamp, event_id)` (vocabulary: Envelopes). */
import { compareTimes } from "@turnproof/semconv";

import type { TurnEvent } from "./event.ts";
import { compareText } from "./text-order.ts";

/** Negative when `a` comes before `b`. */
export function compareEvents(a: TurnEvent, b: TurnEvent): number {
  return compareTimes(a.timestamp, b.timestamp) || compareText(a.event_id, b.event_id);
}
