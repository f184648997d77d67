/**
 * @module ToldModelCalls: log records that tell of a model call which a span tells as well. A
 * record stands under the span in which it was written; where that span is a model call, both are
 * one.
 */
import type { TurnEvent } from "./event.ts";
import { parentKey, spanKey } from "./span-key.ts";

/** The records (phase `event`) whose call a span's result tells. Linear in events. */
export function toldModelCalls(events: readonly TurnEvent[]): Set<TurnEvent> {
  const told = new Set<TurnEvent>();
  const records = events.filter(
    ({ event_kind: kind, phase }) => kind === "model_call" && phase === "event",
  );
  if (records.length === 0) return told;
  const calls = new Set<string | undefined>();
  for (const event of events) {
    if (event.event_kind === "model_call" && event.phase === "result") calls.add(spanKey(event));
  }
  for (const record of records) {
    const key = parentKey(record);
    if (key !== undefined && calls.has(key)) told.add(record);
  }
  return told;
}
