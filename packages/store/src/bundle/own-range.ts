/**
 * @module OwnRange: the whole seconds within which the own times of some events lie, as a condition
 * on what is stored of them. The body decides: a range only leaves out rows that hold no event of
 * the requested time.
 */
import type { EventQuery, TurnEvent } from "@turnproof/evidence";
import { wholeSecond } from "@turnproof/semconv";

/** First and last second of the events' own times, since the epoch. */
export interface OwnRange {
  readonly own_from: number;
  readonly own_to: number;
}

/** The range of rows of which nothing is known: every request includes it. */
export const anyTime: OwnRange = {
  own_from: -Number.MAX_SAFE_INTEGER,
  own_to: Number.MAX_SAFE_INTEGER,
};

/** The range of some events; any time where one of them has a time that no second expresses. */
export function ownRangeOf(events: readonly Pick<TurnEvent, "timestamp">[]): OwnRange {
  let from = Infinity;
  let to = -Infinity;
  for (const { timestamp } of events) {
    const second = wholeSecond(timestamp);
    if (second === undefined) return anyTime;
    if (second < from) from = second;
    if (second > to) to = second;
  }
  return from <= to ? { own_from: from, own_to: to } : anyTime;
}

/** What a query needs has its last second at or after `since`, and its first until `until`. */
export interface RangeBounds {
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** The bounds of a query. Its second is included at both ends, because ranges are whole seconds. */
export function rangeBounds({ start_time: start, end_time: end }: EventQuery): RangeBounds {
  return {
    since: start === undefined ? undefined : wholeSecond(start),
    until: end === undefined ? undefined : wholeSecond(end),
  };
}
