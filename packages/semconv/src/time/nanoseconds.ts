/**
 * @module Nanoseconds: decimal nanoseconds to ISO 8601 UTC with nine digits, without BigInt.
 * Invalid times are clamped or left out, never thrown (vocabulary: Envelopes; collector: Receive).
 */
import { isoTime } from "./clock.ts";
import type { Instant } from "./whole-numbers.ts";

/** Last nanosecond of a signed 64-bit count; also the end of the stores' time type. */
const latest = "9223372036854775807";
const latestText = "2262-04-11T23:47:16.854775807Z";

/** A parsed time: its text, and its parts for durations. */
export interface NanoInstant {
  readonly text: string;
  readonly seconds: number;
  readonly nanos: number;
  /** True when the time on the wire was beyond the range. */
  readonly clamped: boolean;
}

/** Spans of a batch share their second, so the calendar is computed once per second. */
let lastSecond = -1;
let lastText = "";

/** `YYYY-MM-DDTHH:MM:SS.` */
function secondText(seconds: number): string {
  if (seconds !== lastSecond) {
    lastText = isoTime(seconds * 1_000).slice(0, 20);
    lastSecond = seconds;
  }
  return lastText;
}

function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return text.length > 0;
}

const clampedInstant: NanoInstant = {
  text: latestText,
  seconds: 9_223_372_036,
  nanos: 854_775_807,
  clamped: true,
};

/** Reads a count of nanoseconds; undefined for zero, absent or an invalid count. */
export function instantOf(nanoseconds: string | Instant | undefined): NanoInstant | undefined {
  if (typeof nanoseconds === "object") return instantOfTime(nanoseconds);
  if (nanoseconds === undefined || nanoseconds === "0" || !isDigits(nanoseconds)) return undefined;
  const digits = nanoseconds.charCodeAt(0) === 48 ? nanoseconds.replace(/^0+/, "") : nanoseconds;
  if (digits === "") return undefined;
  const { length } = digits;
  if (length > 19 || (length === 19 && digits > latest)) {
    return clampedInstant;
  }
  const fraction = length > 9 ? digits.slice(length - 9) : digits.padStart(9, "0");
  const seconds = length > 9 ? Number(digits.slice(0, length - 9)) : 0;
  const text = `${secondText(seconds)}${fraction}Z`;
  return { text, seconds, nanos: Number(fraction), clamped: false };
}

function instantOfTime({ seconds, nanos }: Instant): NanoInstant | undefined {
  if (seconds === 0 && nanos === 0) return undefined;
  const { seconds: last, nanos: rest } = clampedInstant;
  if (seconds > last || (seconds === last && nanos > rest)) return clampedInstant;
  const digits = String(nanos);
  const fraction = digits.length === 9 ? digits : digits.padStart(9, "0");
  return { text: `${secondText(seconds)}${fraction}Z`, seconds, nanos, clamped: false };
}

/** Milliseconds between two instants, or undefined when the end is before the start. */
export function millisecondsBetween(start: NanoInstant, end: NanoInstant): number | undefined {
  const nanos = end.nanos - start.nanos;
  // A nanosecond is the finest digit; below it is noise of the sum.
  const elapsed =
    Math.round(((end.seconds - start.seconds) * 1_000 + nanos / 1_000_000) * 1e6) / 1e6;
  return elapsed < 0 ? undefined : elapsed;
}

/** An ISO 8601 UTC time of the collector, with its fraction filled up to nine digits. */
export function nineDigits(text: string): string {
  const body = text.endsWith("Z") ? text.slice(0, -1) : text;
  const dot = body.indexOf(".");
  if (dot === -1) return `${body}.000000000Z`;
  return body.length - dot > 10 ? text : `${body.padEnd(dot + 10, "0")}Z`;
}
