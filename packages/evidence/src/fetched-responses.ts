/**
 * @module FetchedResponses: a response that is made in the background is fetched until it is ready,
 * and each `fetch_response` tells the tokens of the one call. They are joined by the response's id.
 */
import type { TurnEvent } from "./event.ts";
import { compareText } from "./text-order.ts";
import { compareTimes } from "./time.ts";

const fetching = "fetch_response";

/** Id of the response that a call tells of, or undefined. */
function responseOf({ attributes }: TurnEvent): string | undefined {
  const { request_id: id } = attributes;
  return typeof id === "string" && id !== "" ? id : undefined;
}

const isFetch = (event: TurnEvent): boolean => event.attributes.genai_operation === fetching;

/** The later of two fetches that say tokens; of equal times the greater id, in any order of events. */
function later(a: TurnEvent, b: TurnEvent): TurnEvent {
  const order = compareTimes(a.timestamp, b.timestamp) || compareText(a.event_id, b.event_id);
  return order > 0 ? a : b;
}

/**
 * Of model calls those whose tokens count: of a response the call that made it where that said its
 * tokens, else the last fetch that did, which then stands for the call too. Two calls that are no
 * fetches stay two, whatever ids they have. Linear in calls.
 */
export function fetchedOnce(
  calls: readonly TurnEvent[],
  measured: (event: TurnEvent) => boolean,
): readonly TurnEvent[] {
  if (!calls.some(isFetch)) return calls;
  const made = new Map<string, "said" | "unsaid">();
  const fetched = new Map<string, TurnEvent>();
  for (const call of calls) {
    const id = responseOf(call);
    if (id === undefined) continue;
    if (!isFetch(call)) {
      if (made.get(id) !== "said") made.set(id, measured(call) ? "said" : "unsaid");
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
      return call === last && made.get(id) !== "said" && (measured(call) || !made.has(id));
    }
    return measured(call) || made.get(id) === "said" || !measured(last);
  });
}
