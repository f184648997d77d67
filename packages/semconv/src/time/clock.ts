/**
 * @module Clock: points in time as ISO 8601 UTC text. No other module writes `toISOString`; a tidy
 * test holds it.
 */

/** ISO 8601 UTC now. */
export type Clock = () => string;

/**
 * `YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since the epoch.
 * @throws RangeError beyond the range of a Date
 */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * The same with six fractional digits, of whole microseconds since the epoch.
 * @throws RangeError beyond the range of a Date
 */
export function isoMicros(micros: number): string {
  const ms = Math.floor(micros / 1_000);
  return `${isoTime(ms).slice(0, -1)}${String(micros - ms * 1_000).padStart(3, "0")}Z`;
}

/** The current time, to the millisecond. */
export const isoNow: Clock = () => isoTime(Date.now());

/** Beyond this many microseconds the system's time was set back, and did not only waver. */
const setBackMicros = 1_000_000;

/**
 * The system's time, with microseconds. A time that is set ahead while the process runs does not
 * count; one that was ahead as the process started counts until it is set back.
 */
function systemMicros(): number {
  const steady = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
  const shown = Date.now() * 1_000;
  return shown < steady - setBackMicros ? shown : steady;
}

/**
 * A clock whose times have six digits and increase with every call, also where `micros`, by default
 * the system's, stands still or goes back a little. Where it is set back by more than a second, the
 * clock follows: otherwise all that arrives would be dated by a wrong time until the process ends.
 */
export function increasingClock(micros: () => number = systemMicros): Clock {
  let last = 0;
  return () => {
    const now = micros();
    last = now < last - setBackMicros ? now : Math.max(last + 1, now);
    return isoMicros(last);
  };
}
