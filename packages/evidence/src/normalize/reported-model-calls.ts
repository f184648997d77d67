/**
 * @module ReportedModelCalls: log records of a model call that a span describes as well. A record
 * belongs to the span in which it was written; where that span is a model call, both are one call.
 */
import type { TurnEvent } from "../event/event.ts";
import { parentKey, spanKey } from "../event/span-key.ts";

/** The records (phase `event`) whose call has a span's result. Linear in events. */
export function reportedModelCalls(events: readonly TurnEvent[]): Set<TurnEvent> {
  const reported = new Set<TurnEvent>();
  const records = events.filter(
    ({ event_kind: kind, phase }) => kind === "model_call" && phase === "event",
  );
  if (records.length === 0) return reported;
  const calls = new Set<string | undefined>();
  for (const event of events) {
    if (event.event_kind === "model_call" && event.phase === "result") calls.add(spanKey(event));
  }
  for (const record of records) {
    const key = parentKey(record);
    if (key !== undefined && calls.has(key)) reported.add(record);
  }
  return reported;
}
