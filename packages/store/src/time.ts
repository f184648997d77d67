/**
 * @module Time: ISO 8601 UTC text to whole numbers and back. A store orders by nanoseconds inside
 * the range that every engine keeps; the text itself is kept beside it when it says more.
 */
const nanosPerSecond = 1_000_000_000n;

/** First and last second that an event's time column holds: 1900 and 2262, as DateTime64(9) does. */
const firstSecond = Date.UTC(1900, 0, 1) / 1000;
const lastSecond = Date.UTC(2262, 3, 11) / 1000;

let lastMinute = "";
let lastMinuteSeconds = 0;
/** Whether the minute is written as we would write it (no 30 February, no shorter year). */
let lastMinuteReal = false;

/** Seconds since the epoch of `YYYY-MM-DDTHH:MM:SS…`, or NaN. */
export function epochSeconds(time: string): number {
  const minute = time.slice(0, 16);
  if (minute !== lastMinute) {
    const ms = Date.parse(`${minute}:00Z`);
    lastMinuteSeconds = ms / 1000;
    lastMinuteReal = Number.isFinite(ms) && new Date(ms).toISOString().slice(0, 16) === minute;
    lastMinute = minute;
  }
  return lastMinuteSeconds + (time.charCodeAt(17) - 48) * 10 + (time.charCodeAt(18) - 48);
}

/** True when the column's nanoseconds and the number of digits give this very text again. */
export function isExact(time: string): boolean {
  const seconds = epochSeconds(time);
  if (!lastMinuteReal || seconds < firstSecond || seconds >= lastSecond) return false;
  const last = time.length - 1;
  if (time.charCodeAt(last) !== 90 || time.charCodeAt(16) !== 58) return false;
  if (time.charCodeAt(17) > 53 || last > 29 || last === 20) return false;
  if (last > 19 && time.charCodeAt(19) !== 46) return false;
  for (let at = 17; at < last; at += 1) {
    const unit = time.charCodeAt(at);
    if ((unit < 48 || unit > 57) && at !== 19) return false;
  }
  return last >= 19;
}

/** Digits of the fraction of a time, without the final Z. */
export function fractionOf(time: string): string {
  if (time.charCodeAt(19) !== 46) return "";
  return time.endsWith("Z") ? time.slice(20, -1) : time.slice(20);
}

/** Nanoseconds since the epoch, clamped to the range of the column; text that is no time is 0. */
export function clampedNanos(time: string): bigint {
  const seconds = epochSeconds(time);
  if (!Number.isFinite(seconds)) return 0n;
  if (seconds < firstSecond) return BigInt(firstSecond) * nanosPerSecond;
  if (seconds >= lastSecond) return BigInt(lastSecond) * nanosPerSecond;
  let nanos = 0;
  const end = time.charCodeAt(time.length - 1) === 90 ? time.length - 1 : time.length;
  for (let at = 20; at < 29; at += 1) {
    nanos = nanos * 10 + (at < end ? time.charCodeAt(at) - 48 : 0);
  }
  return BigInt(seconds) * nanosPerSecond + BigInt(Number.isFinite(nanos) ? nanos : 0);
}

/** The ISO text of nanoseconds with this many fractional digits (0 to 9). */
export function isoOfNanos(nanos: bigint, digits: number): string {
  let seconds = nanos / nanosPerSecond;
  let rest = nanos % nanosPerSecond;
  if (rest < 0n) {
    seconds -= 1n;
    rest += nanosPerSecond;
  }
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${whole}Z`;
  return `${whole}.${String(rest).padStart(9, "0").slice(0, digits)}Z`;
}

/** Microseconds since the epoch of a received time. */
export function epochMicros(time: string): number {
  const fraction = fractionOf(time).slice(0, 6).padEnd(6, "0");
  return epochSeconds(time) * 1_000_000 + Number(fraction);
}

/** The received time of microseconds since the epoch, six digits. */
export function isoOfMicros(micros: number): string {
  return isoOfNanos(BigInt(micros) * 1000n, 6);
}
