/**
 * @module ToolLog: a tool_log row and the trace's result of the same call are one fact (vocabulary:
 * Envelopes). The trace has more detail, so the row is removed; without a trace result it is kept.
 */
import type { TurnEvent } from "../event/event.ts";

const fields = ["agent_id", "thread_id", "root_trace_id", "turn_id"] as const;

/** The events without the log rows whose call's result is in the trace, for the same tenant. */
export function dropLoggedCalls(events: TurnEvent[]): TurnEvent[] {
  if (!events.some((event) => event.event_kind === "execution_log")) return events;
  const results = new Map<string, TurnEvent[]>();
  for (const event of events) {
    const id = event.attributes.tool_call_id;
    if (event.event_kind !== "tool_call" || event.phase === "start" || id === undefined) continue;
    const known = results.get(id);
    if (known === undefined) results.set(id, [event]);
    else known.push(event);
  }
  return events.filter((event) => {
    const id = event.attributes.tool_call_id;
    if (event.event_kind !== "execution_log" || id === undefined) return true;
    return !(results.get(id) ?? []).some((result) => isSameCall(event, result));
  });
}

/**
 * Call ids are unique within a conversation at best, so every other recorded id must match too.
 */
function isSameCall(row: TurnEvent, result: TurnEvent): boolean {
  if (row.user_id !== result.user_id) return false;
  return fields.every(
    (field) =>
      row[field] === undefined || result[field] === undefined || row[field] === result[field],
  );
}
