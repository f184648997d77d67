/** @module TurnResult: which event is the result of a turn, and how long the turn took. */
import { compareTimes, elapsedMs } from "@turnproof/semconv";

import { unfinishedStarts } from "./completion.ts";
import { compareEvents } from "../event/event-order.ts";
import type { TurnEvent } from "../event/event.ts";
import { parentKey } from "../event/span-key.ts";
import type { TurnRow } from "./turn-row.ts";

/** The result of the turn: of the span that names it, else of the first to begin. */
export function turnResult(events: readonly TurnEvent[]): TurnEvent | undefined {
  const results = events.filter((event) => event.event_kind === "turn" && event.phase !== "start");
  const named = results.find(
    (event) => event.span_id !== undefined && event.span_id === event.turn_id,
  );
  const start = (event: TurnEvent): string => event.started_at ?? event.timestamp;
  return (
    named ?? results.toSorted((a, b) => compareTimes(start(a), start(b)) || compareEvents(a, b))[0]
  );
}

/**
 * The result of the turn, where no other one can be that of it. In a window with a gap the result
 * of another span may be missing, and a span of the turn that is open may be around one that ended
 * and has a parent; neither matters beside the result of the span that names the turn.
 *
 * @param whole the window lacks nothing
 */
export function certainResult(events: readonly TurnEvent[], whole: boolean): TurnEvent | undefined {
  const result = turnResult(events);
  if (result === undefined || result.span_id === result.turn_id) return result;
  if (!whole) return undefined;
  const turns = events.filter(({ event_kind: kind }) => kind === "turn");
  const outermost = parentKey(result) === undefined;
  return outermost || unfinishedStarts(turns).length === 0 ? result : undefined;
}

/** How long the turn took, and how it ended: of its own result, else of its events. */
export function extentOf(
  events: readonly TurnEvent[],
  result: TurnEvent | undefined,
  [startedAt, endedAt]: readonly [startedAt: string, endedAt: string],
): Pick<TurnRow, "duration_ms" | "timing_state" | "status"> {
  const elapsed = elapsedMs(startedAt, endedAt) ?? null;
  // Events of one instant give no duration.
  const seen = elapsed === 0 ? null : elapsed;
  if (result !== undefined) {
    const own =
      result.duration_ms ??
      (result.started_at === undefined
        ? undefined
        : elapsedMs(result.started_at, result.timestamp));
    // An end before its start means a wrong clock and gives no duration.
    if (own !== undefined && own < 0) {
      return { duration_ms: null, timing_state: "unknown", status: result.status };
    }
    const timing_state = own === undefined ? "unknown" : "measured";
    return { duration_ms: own ?? seen, timing_state, status: result.status };
  }
  const begun = events.some((event) => event.event_kind === "turn");
  if (begun) return { duration_ms: seen, timing_state: "missing_completion", status: "started" };
  const timing_state = elapsed === 0 ? "instantaneous" : "unknown";
  return { duration_ms: elapsed, timing_state, status: "unknown" };
}
