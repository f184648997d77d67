/**
 * @module Completion: starts without a result (vocabulary: From a span to an event 3). Start and
 * result of a call share a span or, in older records, the id of the tool call; where neither is
 * recorded, results of a kind are matched to its starts one by one.
 */
import type { TurnEvent } from "../event/event.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { spanKey } from "../event/span-key.ts";

/** Key that a start and its result share, or undefined when the event has none. */
function callKey(event: TurnEvent): string | undefined {
  return spanKey(event) ?? event.attributes.tool_call_id;
}

/** Results of one turn and kind. */
interface Answered {
  readonly keys: Set<string>;
  unnamed: number;
}

/** The starts without a result among these events, in the order of the input. */
export function unfinishedStarts(events: readonly TurnEvent[]): TurnEvent[] {
  if (!events.some(({ phase }) => phase === "start")) return [];
  const turns = createIdentityTable([
    "event_kind",
    "agent_id",
    "user_id",
    "thread_id",
    "root_trace_id",
    "turn_id",
  ]);
  const answered: Answered[] = [];
  const of = (event: TurnEvent): Answered => {
    const group = turns.idOf(event);
    return (answered[group] ??= { keys: new Set(), unnamed: 0 });
  };
  const starts: TurnEvent[] = [];
  for (const event of events) {
    if (event.phase === "start") starts.push(event);
    if (event.phase !== "result") continue;
    const key = callKey(event);
    if (key === undefined) of(event).unnamed += 1;
    else of(event).keys.add(key);
  }
  return starts.filter((start) => {
    const results = of(start);
    const key = callKey(start);
    if (key !== undefined) return !results.keys.has(key);
    if (results.unnamed === 0) return true;
    results.unnamed -= 1;
    return false;
  });
}
