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

/** Seconds since the epoch of `YYYY-MM-DDTHH:MM:SS…`, or NaN. */
export function epochSeconds(time: string): number {
  const minute = time.slice(0, 16);
  if (minute !== lastMinute) {
    lastMinuteSeconds = Date.parse(`${minute}:00Z`) / 1000;
    lastMinute = minute;
  }
  return lastMinuteSeconds + (time.charCodeAt(17) - 48) * 10 + (time.charCodeAt(18) - 48);
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
  const fraction = fractionOf(time).slice(0, 9).padEnd(9, "0");
  return BigInt(seconds) * nanosPerSecond + BigInt(Number(fraction));
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
