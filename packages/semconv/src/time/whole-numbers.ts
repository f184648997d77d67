/**
 * @module WholeNumbers: ISO 8601 UTC text to whole numbers and back. A store sorts by nanoseconds
 * in the range that every engine supports; the text itself is stored as well when it has more.
 */
import { isoTime } from "./clock.ts";

const nanosPerSecond = 1_000_000_000n;

/** First and last second of an event's time column: 1900 and 2262, the range of DateTime64(9). */
const firstSecond = Date.UTC(1900, 0, 1) / 1000;
const lastSecond = Date.UTC(2262, 3, 11) / 1000;

/** A parsed minute. */
interface Minute {
  readonly text: string;
  /** Seconds since the epoch, or NaN. */
  readonly seconds: number;
  /** True for a canonical text (no 30 February, no shorter year). */
  readonly real: boolean;
}

/** The last parsed day: a page covers few of them, and many minutes of each. */
let readDay: Minute = { text: "", seconds: NaN, real: false };

function minuteOf(text: string): Minute {
  const date = text.slice(0, dayChars);
  if (date !== readDay.text) readDay = { ...parsedMinute(`${date}00:00`), text: date };
  const [hours, minutesIn] = [twoDigitsAt(text, dayChars), twoDigitsAt(text, dayChars + 3)];
  const isClock = text.length === minuteChars && text.charCodeAt(dayChars + 2) === 58;
  if (!readDay.real || !isClock || !(hours < 24 && minutesIn < 60)) return parsedMinute(text);
  return { text, seconds: readDay.seconds + hours * 3_600 + minutesIn * 60, real: true };
}

function parsedMinute(text: string): Minute {
  const ms = Date.parse(`${text}:00Z`);
  const real = Number.isFinite(ms) && isoTime(ms).slice(0, 16) === text;
  return { text, seconds: ms / 1000, real };
}

/** NaN where one of the two is no digit. */
function twoDigitsAt(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

const dayChars = 11;
const minuteChars = 16;
/**
 * Cache of the last few minutes: an event has its own time and that of its receipt, and a batch
 * has several clocks. The slot is chosen by the minute's own digits.
 */
const minutes: Minute[] = Array.from({ length: 16 }, () => ({
  text: "",
  seconds: NaN,
  real: false,
}));

function minute(time: string): Minute {
  const slot = (time.charCodeAt(15) + time.charCodeAt(14) * 5 + time.charCodeAt(12) * 3) & 15;
  const known = minutes[slot] as Minute;
  if (known.text.length === minuteChars && time.startsWith(known.text)) return known;
  const fresh = minuteOf(time.slice(0, minuteChars));
  minutes[slot] = fresh;
  return fresh;
}

/** Seconds since the epoch of `YYYY-MM-DDTHH:MM:SS…`, or NaN. */
function epochSeconds(time: string): number {
  return secondsIn(minute(time), time);
}

function secondsIn({ seconds }: Minute, time: string): number {
  return seconds + (time.charCodeAt(17) - 48) * 10 + (time.charCodeAt(18) - 48);
}

/**
 * Seconds since the epoch of a time of any fraction and any year of four digits; undefined where
 * the order of the texts of two times would not be that of these numbers.
 */
export function wholeSecond(time: string): number | undefined {
  const within = minute(time);
  const [tens, ones] = [time.charCodeAt(17) - 48, time.charCodeAt(18) - 48];
  const isSecond = tens >= 0 && tens <= 5 && ones >= 0 && ones <= 9;
  if (!within.real || time.charCodeAt(16) !== 58 || !isSecond) return undefined;
  return within.seconds + tens * 10 + ones;
}

/** True when the column's nanoseconds and the number of digits give this very text again. */
export function isExact(time: string): boolean {
  const within = minute(time);
  const seconds = secondsIn(within, time);
  if (!within.real || seconds < firstSecond || seconds >= lastSecond) return false;
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

/** Number of digits in the fraction of a time. */
export function fractionDigits(time: string): number {
  if (time.charCodeAt(19) !== 46) return 0;
  return time.length - 20 - (time.charCodeAt(time.length - 1) === 90 ? 1 : 0);
}

/** A time in two whole numbers since the epoch; `nanos` is the fraction of the second. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** A time clamped to the range of the column; invalid text gives the epoch. */
export function clampedInstant(time: string): Instant {
  const seconds = epochSeconds(time);
  if (!Number.isFinite(seconds)) return { seconds: 0, nanos: 0 };
  if (seconds < firstSecond) return { seconds: firstSecond, nanos: 0 };
  if (seconds >= lastSecond) return { seconds: lastSecond, nanos: 0 };
  let nanos = 0;
  const end = time.charCodeAt(time.length - 1) === 90 ? time.length - 1 : time.length;
  for (let at = 20; at < 29; at += 1) {
    nanos = nanos * 10 + (at < end ? time.charCodeAt(at) - 48 : 0);
  }
  return { seconds, nanos };
}

/** Nanoseconds of an instant since the epoch. */
export function nanosOfInstant({ seconds, nanos }: Instant): bigint {
  return BigInt(seconds) * nanosPerSecond + BigInt(nanos);
}

const daySeconds = 86_400;
const twoDigits: readonly string[] = Array.from({ length: 60 }, (_, i) =>
  String(i).padStart(2, "0"),
);
/** The last formatted day: a page covers few days, and each event has three times. */
let reported = { day: NaN, text: "" };
/** The last formatted second: an event's start and end are often within one. */
let reportedSecond = { seconds: NaN, text: "" };

/** `YYYY-MM-DDTHH:MM:SS` of whole seconds since the epoch. */
function wholeOf(seconds: number): string {
  if (seconds === reportedSecond.seconds) return reportedSecond.text;
  const day = Math.floor(seconds / daySeconds);
  if (day !== reported.day) {
    reported = { day, text: isoTime(day * daySeconds * 1000).slice(0, 11) };
  }
  const rest = seconds - day * daySeconds;
  const minutesIn = Math.floor(rest / 60);
  const hours = Math.floor(minutesIn / 60);
  const [h, m, s] = [hours, minutesIn - hours * 60, rest - minutesIn * 60];
  const text = `${reported.text}${twoDigits[h]}:${twoDigits[m]}:${twoDigits[s]}`;
  reportedSecond = { seconds, text };
  return text;
}

/** The ISO text of an instant with this many fractional digits (0 to 9). */
export function isoOfInstant({ seconds, nanos }: Instant, digits: number): string {
  const whole = wholeOf(seconds);
  if (digits === 0) return `${whole}Z`;
  if (digits === 9 && nanos >= 100_000_000) return `${whole}.${nanos}Z`;
  return `${whole}.${String(nanos).padStart(9, "0").slice(0, digits)}Z`;
}

/** The instant of nanoseconds since the epoch. */
export function instantOfNanos(nanos: bigint): Instant {
  const rest = nanos % nanosPerSecond;
  const below = rest < 0n ? 1n : 0n;
  return {
    seconds: Number(nanos / nanosPerSecond - below),
    nanos: Number(rest + below * nanosPerSecond),
  };
}

/** The last parsed receipt: all events of a request share it. */
let readReceipt = { text: "", micros: NaN };

/** Microseconds since the epoch of a received time; NaN for invalid text. */
export function epochMicros(time: string): number {
  if (time !== readReceipt.text) readReceipt = { text: time, micros: microsOf(time) };
  return readReceipt.micros;
}

function microsOf(time: string): number {
  let micros = 0;
  const digits = fractionDigits(time);
  for (let at = 0; at < 6; at += 1) {
    const digit = at < digits ? time.charCodeAt(20 + at) - 48 : 0;
    if (digit < 0 || digit > 9) return NaN;
    micros = micros * 10 + digit;
  }
  return epochSeconds(time) * 1_000_000 + micros;
}

/** The last formatted receipt: all events of a request share it. */
let reportedReceipt = { micros: NaN, text: "" };

/** The received time of microseconds since the epoch, with six digits. */
export function isoOfMicros(micros: number): string {
  if (micros === reportedReceipt.micros) return reportedReceipt.text;
  const seconds = Math.floor(micros / 1_000_000);
  const text = isoOfInstant({ seconds, nanos: (micros - seconds * 1_000_000) * 1_000 }, 6);
  reportedReceipt = { micros, text };
  return text;
}
