/**
 * @module CallOrder: which orders of calls are possible. Calls begin in the order of their starts,
 * but two with one start have no known order, and neither have calls of different producers whose
 * starts are within the skew of clocks. A decision on order holds in every possible order.
 */
import { bridgedSkewMs as skewMs } from "@turnproof/evidence";
import { elapsedMs } from "@turnproof/semconv";

import type { Call } from "./call.ts";

/** Nanoseconds of a millisecond. */
export const nsPerMs = 1e6;
/** Skew of clocks of different processes that is bridged, in nanoseconds. */
export const skewNs = skewMs * nsPerMs;

/** First and last place of a call in the possible orders, from 0. */
export interface Places {
  readonly first: number;
  readonly last: number;
}

/** The places of each call; one without a start may have any. */
export function placesOf(calls: readonly Call[]): Places[] {
  const starts = startsOf(calls);
  const all = starts.flatMap((at) => at ?? []).sort(ascending);
  const byProducer = new Map<string | undefined, number[]>();
  for (const [index, { event }] of calls.entries()) {
    const at = starts[index];
    const own = byProducer.get(event.producer_id);
    if (at === undefined) continue;
    if (own === undefined) byProducer.set(event.producer_id, [at]);
    else own.push(at);
  }
  for (const own of byProducer.values()) own.sort(ascending);
  return calls.map(({ event }, index) => {
    const at = starts[index];
    const own = byProducer.get(event.producer_id) ?? [];
    if (at === undefined) return { first: 0, last: calls.length - 1 };
    const before = lower(own, at) + lower(all, at - skewNs) - lower(own, at - skewNs);
    const after = upper(own, at) + upper(all, at + skewNs) - upper(own, at + skewNs);
    return { first: before, last: calls.length - 1 - after };
  });
}

/** Starts of calls in nanoseconds from one of them; undefined where one is unknown. */
export function startsOf(calls: readonly Call[]): (number | undefined)[] {
  const clock = clockOf(calls);
  return calls.map(({ start }) => clock(start));
}

/** Reads times in nanoseconds from the first known start among calls. */
export function clockOf(calls: readonly Call[]): (time: string | undefined) => number | undefined {
  const origin = calls.find(({ start }) => start !== undefined)?.start ?? "";
  return (time) => {
    const apart = time === undefined ? undefined : elapsedMs(origin, time);
    return apart === undefined ? undefined : Math.round(apart * nsPerMs);
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}

/** How many numbers are below a bound. */
function lower(sorted: readonly number[], bound: number): number {
  return firstWhere(sorted, (value) => value >= bound);
}

/** How many numbers are above a bound. */
function upper(sorted: readonly number[], bound: number): number {
  return sorted.length - firstWhere(sorted, (value) => value > bound);
}

/** Index of the first entry that meets a condition, which all after it meet too. */
export function firstWhere<T>(sorted: readonly T[], meets: (value: T) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (meets(sorted[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
