/**
 * @module Call: the model and tool calls of a turn, finished or not, each once. Where a part of the
 * window may be missing, a call is certain only when the spans above it show that it repeats no
 * other one.
 */
import {
  compareEvents,
  compareTimes,
  countedModelCalls,
  parentKey,
  spanKey,
  toolOutcome,
  toolResults,
  unfinishedStarts,
} from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";

/** One call. */
export interface Call {
  readonly kind: "tool" | "model";
  readonly event: TurnEvent;
  readonly name: string | undefined;
  /** Outcome of a finished tool call, where it is known. */
  readonly outcome: string | undefined;
  /** It is a call of its own, whatever is missing. */
  readonly certain: boolean;
  readonly finished: boolean;
  /** Start as text, undefined where only the end is known. */
  readonly start: string | undefined;
  readonly end: string | undefined;
}

/** Inside these kinds a call is another call, whatever its name. */
const separating: ReadonlySet<string> = new Set(["turn", "model_call", "plan"]);

/** The calls by start, where it is known. */
export function callsOf(
  events: readonly TurnEvent[],
  whole: boolean,
  models: readonly TurnEvent[] = countedModelCalls(events),
): Call[] {
  const calls: Call[] = [];
  const tools = whole ? toolResults(events) : events.filter(isToolEnd);
  const certain = whole ? undefined : certainty(events);
  const add = (event: TurnEvent, kind: Call["kind"], finished: boolean): void => {
    const { attributes } = event;
    calls.push({
      kind,
      event,
      name:
        kind === "tool" ? attributes.tool_name : (attributes.response_model ?? attributes.model),
      outcome: kind === "tool" && finished ? toolOutcome(event) : undefined,
      certain: certain === undefined || (kind === "tool" && certain(event)),
      finished,
      start: event.started_at ?? (event.phase === "start" ? event.timestamp : startOf(event)),
      end: finished ? event.timestamp : undefined,
    });
  };
  for (const event of tools) add(event, "tool", true);
  // Of nested model calls the innermost count, and in a part of a window it is unknown which.
  for (const event of models) add(event, "model", true);
  if (events.some(({ phase }) => phase === "start")) {
    for (const event of unfinishedStarts(events)) {
      if (event.event_kind === "tool_call") add(event, "tool", false);
      else if (event.event_kind === "model_call") add(event, "model", false);
    }
  }
  return calls.length < 2 ? calls : calls.sort(compareCalls);
}

function isToolEnd(event: TurnEvent): boolean {
  return event.event_kind === "tool_call" && event.phase !== "start";
}

/** A point in time began when it ended. */
function startOf(event: TurnEvent): string | undefined {
  return event.phase === "event" ? event.timestamp : undefined;
}

/** Order by start; one without a start is ordered by its end. */
function compareCalls(a: Call, b: Call): number {
  const left = a.start ?? a.event.timestamp;
  const right = b.start ?? b.event.timestamp;
  return compareTimes(left, right) || compareEvents(a.event, b.event);
}

/**
 * Whether an event repeats no call that is missing: the spans above it are there up to one that
 * separates calls, and one vocabulary alone describes the calls of its tool.
 */
function certainty(events: readonly TurnEvent[]): (event: TurnEvent) => boolean {
  const spans = new Map<string, TurnEvent>();
  const dialects = new Map<string, string | undefined>();
  const several = new Set<string>();
  for (const event of events) {
    const key = spanKey(event);
    if (key !== undefined && !(event.phase === "start" && spans.has(key))) spans.set(key, event);
    const { tool_name: tool } = event.attributes;
    if (event.event_kind !== "tool_call" || tool === undefined) continue;
    if (dialects.has(tool) && dialects.get(tool) !== event.dialect) several.add(tool);
    dialects.set(tool, event.dialect);
  }
  return (event) => {
    if (several.has(event.attributes.tool_name ?? "")) return false;
    const passed = new Set<string>();
    for (let at = parentKey(event); at !== undefined;) {
      const above = spans.get(at);
      if (above === undefined || passed.has(at)) return false;
      if (separating.has(above.event_kind)) return true;
      if (above.event_kind === event.event_kind) return false;
      passed.add(at);
      at = parentKey(above);
    }
    return true;
  };
}
