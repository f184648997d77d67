/**
 * @module FetchedResponses: a response made in the background is fetched until it is ready, and
 * each `fetch_response` reports the tokens of the same call. They are joined by the response id.
 */
import { compareTimes } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { compareText } from "../event/text-order.ts";

const fetching = "fetch_response";

/** Id of a call's response, or undefined. */
function responseOf({ attributes }: TurnEvent): string | undefined {
  const { request_id: id } = attributes;
  return typeof id === "string" && id !== "" ? id : undefined;
}

const isFetch = (event: TurnEvent): boolean => event.attributes.genai_operation === fetching;

/** The later of two fetches with tokens; at equal times the greater id, in any order of events. */
function later(a: TurnEvent, b: TurnEvent): TurnEvent {
  const order = compareTimes(a.timestamp, b.timestamp) || compareText(a.event_id, b.event_id);
  return order > 0 ? a : b;
}

/**
 * The model calls whose tokens count. For a response: the call that made it if that has tokens,
 * else the last fetch that has, which then represents the call too. Two calls that are no fetches
 * stay separate, whatever their ids. Linear in calls.
 */
export function fetchedOnce(
  calls: readonly TurnEvent[],
  measured: (event: TurnEvent) => boolean,
): readonly TurnEvent[] {
  if (!calls.some(isFetch)) return calls;
  const made = new Map<string, "measured" | "unmeasured">();
  const fetched = new Map<string, TurnEvent>();
  for (const call of calls) {
    const id = responseOf(call);
    if (id === undefined) continue;
    if (!isFetch(call)) {
      if (made.get(id) !== "measured") made.set(id, measured(call) ? "measured" : "unmeasured");
      continue;
    }
    const held = fetched.get(id);
    if (held === undefined || (measured(call) && !measured(held))) fetched.set(id, call);
    else if (measured(call) === measured(held)) fetched.set(id, later(held, call));
  }
  return calls.filter((call) => {
    const id = responseOf(call);
    const last = id === undefined ? undefined : fetched.get(id);
    if (id === undefined || last === undefined) return true;
    if (isFetch(call)) {
      return call === last && made.get(id) !== "measured" && (measured(call) || !made.has(id));
    }
    return measured(call) || made.get(id) === "measured" || !measured(last);
  });
}
