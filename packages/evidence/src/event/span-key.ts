/**
 * @module SpanKey: the span that an event describes. A pending marker is exported as a span of its
 * own, but it describes the span that it announces: its event id is `<span_id>:start` (vocabulary:
 * From a span to an event 3).
 */
import type { TurnEvent } from "./event.ts";

const startSuffix = ":start";

/** Span id that start and result share, or undefined for an event without one. */
export function spanKey(event: TurnEvent): string | undefined {
  if (event.phase === "start" && event.event_id.endsWith(startSuffix)) {
    const marked = event.event_id.slice(0, -startSuffix.length);
    if (marked !== "") return marked;
  }
  return event.span_id;
}

/** Parent of the span that the event describes; a marker's link to its own span is none. */
export function parentKey(event: TurnEvent): string | undefined {
  const parent = event.parent_span_id;
  return parent === undefined || parent === spanKey(event) ? undefined : parent;
}
