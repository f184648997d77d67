/**
 * @module TimeTicks: round times under a chart, so few that their words have room. Days begin in
 * UTC.
 */
import type { TimeForm } from "./figures.ts";

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
export function timeTicks(fromMs: number, toMs: number): TimeTicks {
  const span = toMs - fromMs;
  const step = steps.find((each) => span / each <= ticksMax) ?? steps.at(-1) ?? day;
  const form = step >= day ? "date" : step >= minute ? "minute" : "second";
  const [first, last] = [fromMs + span * edge, toMs - span * edge];
  const atMs: number[] = [];
  for (let at = Math.ceil(first / step) * step; at <= last; at += step) atMs.push(at);
  return { atMs: atMs.slice(0, ticksMax), form };
}
