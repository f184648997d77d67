/**
 * @module RetoldCalls: spans that tell a tool call again. A framework's span, the span of its MCP
 * client and the span of the MCP server describe one call from three places; they stand inside of
 * each other and bear one name or one call id.
 */
import type { TurnEvent } from "./event.ts";
import { parentKey, spanKey } from "./span-key.ts";

/** Inside of these a call is another one, whatever its name. */
const separating: ReadonlySet<string> = new Set(["turn", "model_call", "plan"]);

/**
 * The results of tool calls that tell the call of a span above them again, each with the outermost
 * result of that call. Linear: every span is climbed past once.
 */
export function retoldCalls(events: readonly TurnEvent[]): Map<TurnEvent, TurnEvent> {
  const spans = new Map<string, TurnEvent>();
  for (const event of events) {
    const key = spanKey(event);
    if (key === undefined || (event.phase === "start" && spans.has(key))) continue;
    spans.set(key, event);
  }
  const around = callsAround(spans);
  const outermost = new Map<TurnEvent, TurnEvent>();
  const retold = new Map<TurnEvent, TurnEvent>();
  for (const event of events) {
    if (event.event_kind !== "tool_call" || event.phase === "start") continue;
    const path = new Set<TurnEvent>();
    let call: TurnEvent | undefined;
    for (let at = event; call === undefined;) {
      path.add(at);
      const above = around(at);
      if (above === undefined || !isSameCall(above, at)) call = at;
      // In a ring nobody is outermost, and every one of them counts.
      else if (path.has(above)) call = event;
      else call = outermost.get(above);
      if (above !== undefined) at = above;
    }
    for (const passed of path) outermost.set(passed, call);
    if (call !== event && call.phase !== "start") retold.set(event, call);
  }
  return retold;
}

/** Finds the nearest tool call above an event; what was found is kept for all that was passed. */
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

/** One call id, or one name; a framework may put the server's name before the tool's. */
function isSameCall(outer: TurnEvent, inner: TurnEvent): boolean {
  const { tool_call_id: callId, tool_name: name } = outer.attributes;
  const { tool_call_id: innerId, tool_name: innerName } = inner.attributes;
  if (callId !== undefined && callId === innerId) return true;
  if (name === undefined || innerName === undefined || name === innerName) return true;
  return name.endsWith(innerName) && /[_.:/-]/.test(name.at(-innerName.length - 1) ?? "");
}
