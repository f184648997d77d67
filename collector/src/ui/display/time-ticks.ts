/**
 * @module TimeTicks: round times under a chart, so few that their words have room. They are round
 * in the clock in which they are written: days begin at its midnight.
 */
import type { DisplayClock, TimeForm } from "./figures.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Distances between ticks. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hour),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((days) => days * day),
];

const ticksMax = 6;
/** Part of the width at each end in which the word of a tick has no room. */
const edge = 0.04;

/** Times of ticks in epoch milliseconds, and how they are written. */
export interface TimeTicks {
  readonly atMs: readonly number[];
  readonly form: TimeForm;
}

/** The ticks of a range; none where it is too short for whole seconds. */
export function timeTicks(fromMs: number, toMs: number, clock: DisplayClock = "utc"): TimeTicks {
  const span = toMs - fromMs;
  const step = steps.find((each) => span / each <= ticksMax) ?? steps.at(-1) ?? day;
  const form = step >= day ? "date" : step >= minute ? "minute" : "second";
  const [first, last] = [fromMs + span * edge, toMs - span * edge];
  const [readingOf, instantOf] =
    clock === "local" ? [localReading, localInstant] : [Number, Number];
  const atMs: number[] = [];
  // A clock that goes back reaches the last instant at a lower reading.
  const end = Math.max(readingOf(last), readingOf(first) + (last - first));
  for (let at = Math.ceil(readingOf(first) / step) * step; at <= end; at += step) {
    const instant = instantOf(at);
    // An hour that the clock skips has no instant of its own.
    if (instant >= first && instant <= last && instant > (atMs.at(-1) ?? -Infinity)) {
      atMs.push(instant);
    }
  }
  return { atMs: atMs.slice(0, ticksMax), form };
}

/** What a local clock reads at an instant, as if it were UTC. */
function localReading(ms: number): number {
  return ms - new Date(ms).getTimezoneOffset() * minute;
}

/** The instant at which a local clock has a reading; the first of two. */
function localInstant(reading: number): number {
  const at = new Date(reading);
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()] as const;
  return new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), ...time).getTime();
}
