/**
 * @module RepeatedCalls: several spans of one tool call. A framework's span, its MCP client's span
 * and the MCP server's span describe one call; they are nested and share a name or a call id. A
 * client that puts its calls under a session of its own describes the call beside the framework:
 * then the times show that one is inside the other.
 */
import { compareTimes, shiftTime } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { createIdentityTable } from "../event/identity-table.ts";
import { parentKey, spanKey } from "../event/span-key.ts";

/** Inside these kinds a call is another call, whatever its name. */
const separating: ReadonlySet<string> = new Set(["turn", "model_call", "plan"]);

/** Most calls of one tool in a turn that are compared for parallel spans. */
const besideMax = 500;

/**
 * Largest difference between spans of one process: OpenTelemetry's SDKs read a start to the
 * millisecond and add a finer duration, so an inner span can seem to end after its outer one. They
 * read the two clocks one after the other, and a busy process can wait for a while in between.
 */
export const clockStepMs = 2;

/**
 * The results of tool calls that repeat the call of a span above them, each with the outermost
 * result of that call. Linear in the spans: each is passed once.
 */
export function repeatedCalls(events: readonly TurnEvent[]): Map<TurnEvent, TurnEvent> {
  if (areAllOthers(events.filter(({ event_kind: kind }) => kind === "tool_call"))) return new Map();
  const spans = new Map<string, TurnEvent>();
  for (const event of events) {
    const key = spanKey(event);
    if (key === undefined || (event.phase === "start" && spans.has(key))) continue;
    spans.set(key, event);
  }
  const around = callsAround(spans);
  const outermost = new Map<TurnEvent, TurnEvent>();
  const repeated = new Map<TurnEvent, TurnEvent>();
  for (const event of events) {
    if (event.event_kind !== "tool_call" || event.phase === "start") continue;
    // Most calls are inside no other: they need no path.
    if (around(event) === undefined) continue;
    const path = new Set<TurnEvent>();
    let call: TurnEvent | undefined;
    for (let at = event; call === undefined;) {
      path.add(at);
      const above = around(at);
      if (above === undefined || !isSameCall(above, at)) call = at;
      // In a cycle no span is outermost, and every one of them counts.
      else if (path.has(above)) call = event;
      else call = around(above) === undefined ? above : outermost.get(above);
      if (above !== undefined) at = above;
    }
    for (const passed of path) outermost.set(passed, call);
    if (call !== event && call.phase !== "start") repeated.set(event, call);
  }
  const beside = reportedBeside(events, repeated);
  if (beside.size === 0) return repeated;
  for (const [event, call] of repeated) repeated.set(event, beside.get(call) ?? call);
  for (const [event, call] of beside) repeated.set(event, call);
  return repeated;
}

/** Most calls that are compared with each other. */
const comparedMax = 12;

/** True when no two of these can be one call: most turns call each tool once. */
function areAllOthers(calls: readonly TurnEvent[]): boolean {
  if (calls.length > comparedMax) return false;
  return calls.every((a, at) => calls.slice(at + 1).every((b) => areOthers(a, b)));
}

function areOthers(a: TurnEvent, b: TurnEvent): boolean {
  // A start and the result of its span are two events of one span, not a repetition.
  if (a.phase !== b.phase && spanKey(a) !== undefined && spanKey(a) === spanKey(b)) return true;
  return !isSameCall(a, b) && !isSameCall(b, a);
}

/**
 * Calls that another vocabulary describes as well, in parallel spans of the same turn: same name,
 * and one's time within the other's. Each vocabulary describes a call once.
 */
function reportedBeside(
  events: readonly TurnEvent[],
  repeated: ReadonlyMap<TurnEvent, TurnEvent>,
): Map<TurnEvent, TurnEvent> {
  // Another vocabulary needs a second dialect.
  const dialects = new Set(events.flatMap((event) => (mayBeBeside(event) ? event.dialect : [])));
  if (dialects.size < 2) return new Map();
  const turns = createIdentityTable([
    "agent_id",
    "thread_id",
    "root_trace_id",
    "turn_id",
    "user_id",
  ]);
  const groups = new Map<string, TurnEvent[]>();
  for (const event of events) {
    if (event.phase === "start" || repeated.has(event) || !mayBeBeside(event)) continue;
    const key = `${turns.idOf(event)} ${event.attributes.tool_name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [event]);
    else group.push(event);
  }
  const beside = new Map<TurnEvent, TurnEvent>();
  for (const group of groups.values()) {
    if (group.length < 2 || group.length > besideMax) continue;
    if (group.every(({ dialect }) => dialect === group[0]?.dialect)) continue;
    matchWithin(group.toSorted(compareSpans), beside);
  }
  return beside;
}

/** True for a call of a tool that another vocabulary may describe in a parallel span. */
export function mayBeBeside(event: TurnEvent): boolean {
  const { event_kind: kind, phase, dialect, started_at, attributes, turn_id: turn } = event;
  return (
    kind === "tool_call" &&
    dialect !== undefined &&
    (started_at !== undefined || phase === "start") &&
    attributes.tool_name !== undefined &&
    turn !== undefined
  );
}

/**
 * Earlier starts first, at equal starts the longer, so that an enclosing span precedes the
 * enclosed.
 */
function compareSpans(a: TurnEvent, b: TurnEvent): number {
  const start = compareTimes(a.started_at ?? "", b.started_at ?? "");
  return start || compareTimes(b.timestamp, a.timestamp) || (a.event_id < b.event_id ? -1 : 1);
}

function matchWithin(calls: readonly TurnEvent[], beside: Map<TurnEvent, TurnEvent>): void {
  const tellings = new Map<TurnEvent, Set<unknown>>();
  for (const [at, inner] of calls.entries()) {
    const outer = calls.slice(0, at).find((call) => {
      if (beside.has(call) || !encloses(call, inner)) return false;
      return tellings.get(call)?.has(inner.dialect) !== true && call.dialect !== inner.dialect;
    });
    if (outer === undefined) continue;
    beside.set(inner, outer);
    const reported = tellings.get(outer);
    if (reported === undefined) tellings.set(outer, new Set([inner.dialect]));
    else reported.add(inner.dialect);
  }
}

/** True when the inner call's time is within the outer's, which began no later. */
function encloses(outer: TurnEvent, inner: TurnEvent): boolean {
  const latest = shiftTime(outer.timestamp, clockStepMs);
  return (
    compareTimes(inner.timestamp, latest) <= 0 &&
    compareTimes(inner.started_at ?? inner.timestamp, outer.timestamp) <= 0
  );
}

/** Finds the nearest tool call above an event, and caches it for all spans passed. */
function callsAround(
  spans: ReadonlyMap<string, TurnEvent>,
): (event: TurnEvent) => TurnEvent | undefined {
  const found = new Map<string, TurnEvent | undefined>();
  return (event) => {
    const passed: string[] = [];
    let at = parentKey(event);
    let call: TurnEvent | undefined;
    while (at !== undefined) {
      if (found.has(at)) {
        call = found.get(at);
        break;
      }
      found.set(at, undefined);
      passed.push(at);
      const above = spans.get(at);
      if (above === undefined || separating.has(above.event_kind)) break;
      if (above.event_kind === "tool_call") {
        call = above;
        break;
      }
      at = parentKey(above);
    }
    for (const key of passed) found.set(key, call);
    return call;
  };
}

/** Same call id, or same name; a framework may prefix the tool's name with the server's. */
function isSameCall(outer: TurnEvent, inner: TurnEvent): boolean {
  const { tool_call_id: callId, tool_name: name } = outer.attributes;
  const { tool_call_id: innerId, tool_name: innerName } = inner.attributes;
  if (callId !== undefined && callId === innerId) return true;
  if (name === undefined || innerName === undefined || name === innerName) return true;
  return name.endsWith(innerName) && /[_.:/-]/.test(name.at(-innerName.length - 1) ?? "");
}
