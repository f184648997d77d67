/**
 * @module Call: the model and tool calls of a turn, finished or not, each once. Where a part of the
 * window may be missing, a call is certain only where it repeats no other one, whatever that is.
 */
import {
  compareEvents,
  countedModelCalls,
  mayBeBeside,
  parentKey,
  spanKey,
  toolOutcome,
  toolResults,
  unfinishedStarts,
} from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { compareTimes } from "@turnproof/semconv";

/** One call. */
export interface Call {
  readonly kind: "tool" | "model";
  readonly event: TurnEvent;
  readonly name: string | undefined;
  /** Outcome of a finished tool call, where it is known. */
  readonly outcome: string | undefined;
  /** It is a call of its own with what is recorded of it, whatever is missing. */
  readonly certain: boolean;
  /** A call of its name counts for it and for no other one, whatever is missing. */
  readonly counts: boolean;
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
  const hasStarts = events.some(({ phase }) => phase === "start");
  const open = hasStarts ? unfinishedStarts(events) : [];
  const openTools = open.filter(({ event_kind: kind }) => kind === "tool_call");
  const known = whole ? undefined : certaintyOf(events, [...tools, ...openTools]);
  const add = (event: TurnEvent, kind: Call["kind"], finished: boolean): void => {
    const { attributes } = event;
    calls.push({
      kind,
      event,
      name:
        kind === "tool" ? attributes.tool_name : (attributes.response_model ?? attributes.model),
      outcome: kind === "tool" && finished ? toolOutcome(event) : undefined,
      certain: known === undefined || (kind === "tool" && known.certain(event)),
      counts: known === undefined || (kind === "tool" && known.counts(event)),
      finished,
      start: event.started_at ?? (event.phase === "start" ? event.timestamp : startOf(event)),
      end: finished ? event.timestamp : undefined,
    });
  };
  for (const event of tools) add(event, "tool", true);
  // Of nested model calls the innermost count, and in a part of a window it is unknown which.
  for (const event of models) add(event, "model", true);
  for (const event of openTools) add(event, "tool", false);
  for (const event of open) if (event.event_kind === "model_call") add(event, "model", false);
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

/** What is certain of a call in a part of a window. */
interface Certainty {
  readonly certain: (event: TurnEvent) => boolean;
  readonly counts: (event: TurnEvent) => boolean;
}

/**
 * An event repeats no call that is around it where the spans above it are there, up to one that
 * separates calls. Another vocabulary may describe its call beside it, and that event is missing:
 * then the call counts with its name, and has perhaps another outcome, time and provider. Each
 * vocabulary describes a call once, so of several recorded ones the calls of one are all others.
 */
function certaintyOf(events: readonly TurnEvent[], tools: readonly TurnEvent[]): Certainty {
  const spans = new Map<string, TurnEvent>();
  for (const event of events) {
    const key = spanKey(event);
    if (key !== undefined && !(event.phase === "start" && spans.has(key))) spans.set(key, event);
  }
  const outermost = new Set(tools.filter((event) => isOutermost(event, spans)));
  const counted = new Map<string | undefined, Map<string | undefined, number>>();
  for (const event of outermost) {
    if (!mayBeBeside(event)) continue;
    const { tool_name: tool } = event.attributes;
    const counts = counted.get(tool) ?? new Map<string | undefined, number>();
    counted.set(tool, counts.set(event.dialect, (counts.get(event.dialect) ?? 0) + 1));
  }
  const chosen = new Map(
    [...counted].map(([tool, counts]) => {
      const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
      return [tool, first?.[0]];
    }),
  );
  return {
    certain: (event) => outermost.has(event) && !mayBeBeside(event),
    counts: (event) =>
      outermost.has(event) &&
      (!mayBeBeside(event) || chosen.get(event.attributes.tool_name) === event.dialect),
  };
}

/** Whether the spans above a call are there, up to one that separates calls, and none is a call. */
function isOutermost(event: TurnEvent, spans: ReadonlyMap<string, TurnEvent>): boolean {
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
}
