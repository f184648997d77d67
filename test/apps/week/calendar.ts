/**
 * @module Calendar: when turns begin in the seven days before an instant: few at night, many by
 * day, fewer at weekends. Times are UTC.
 */
import type { Dice } from "./dice.ts";

const hourMs = 3_600_000;
/** One day in milliseconds. */
const dayMs: number = 24 * hourMs;

/** An hour of a day so many days before the one in which the week ends; both UTC. */
export function daysBefore(endMs: number, days: number, hour: number): number {
  return Math.floor(endMs / dayMs) * dayMs - days * dayMs + hour * hourMs;
}

/** How busy an hour is; a quiet night is never empty. */
function bustle(atMs: number): number {
  const at = new Date(atMs);
  const hour = at.getUTCHours();
  const weekend = at.getUTCDay() % 6 === 0;
  const byDay = Math.max(0, Math.sin(((hour - 6) / 15) * Math.PI));
  return (0.06 + (hour >= 6 && hour <= 21 ? byDay : 0)) * (weekend ? 0.35 : 1);
}

/** So many beginnings in the week, in their order; the last lies shortly before the end. */
export function beginnings(count: number, endMs: number, dice: Dice): readonly number[] {
  const hours = Array.from({ length: 7 * 24 }, (_, index) => {
    const fromMs = endMs - (7 * 24 - index) * hourMs;
    return { fromMs, weight: bustle(fromMs) };
  });
  return Array.from({ length: count }, () => {
    // A turn of this week is over when the week is.
    const latest = dice.roll() * (hourMs - 240_000);
    return dice.pick(hours).fromMs + latest;
  }).toSorted((a, b) => a - b);
}
