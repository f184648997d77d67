/**
 * @module TimeText: order and forms of times as text. Evidence keeps every fractional digit of its
 * input, so a time becomes a floating-point number only to subtract two of them.
 */
import { isoTime } from "./clock.ts";

const isoForm =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,18}))?([Zz]|[+-]\d{2}:?\d{2})?$/;
/** Characters before the fraction. */
export const secondChars = 19;

/**
 * Order of two ISO 8601 UTC times of any number of fractional digits: negative, zero or positive.
 * Both must be normalized to the form `YYYY-MM-DDTHH:MM:SS[.fraction]Z`.
 */
export function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  // Equal lengths mean equal digits, and then text order is time order.
  if (a.length === b.length) return a < b ? -1 : 1;
  const secondsA = a.slice(0, secondChars);
  const secondsB = b.slice(0, secondChars);
  if (secondsA !== secondsB) return secondsA < secondsB ? -1 : 1;
  const digits = Math.max(a.length, b.length);
  const fractionA = fractionOf(a).padEnd(digits, "0");
  const fractionB = fractionOf(b).padEnd(digits, "0");
  return fractionA < fractionB ? -1 : fractionA > fractionB ? 1 : 0;
}

/** The later of two times, either of which may be unknown. */
export function later(a: string | null, b: string | undefined): string | null {
  return b !== undefined && (a === null || compareTimes(b, a) > 0) ? b : a;
}

/** The digits of the fraction of a second. */
export function fractionOf(time: string): string {
  const end = time.endsWith("Z") ? time.length - 1 : time.length;
  return time.slice(secondChars + 1, end);
}

/**
 * The time in UTC with its own fractional digits, or undefined when the text is no valid time. An
 * offset is applied; a text without one is UTC, as older writers meant it (requirements: Endpoints
 * 5).
 */
export function normalizeTime(text: string): string | undefined {
  // Length first: a longer text is no time, and hostile text reaches no pattern.
  if (text.length > 48) return undefined;
  if (isNormalTime(text)) return text;
  const parts = isoForm.exec(text);
  if (parts === null) return undefined;
  const fraction = parts[7] === undefined ? "" : `.${parts[7]}`;
  const seconds = `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6]}`;
  const epochMs = Date.parse(`${seconds}Z`);
  // A date such as 30 February parses to another day; only a text that parses back unchanged is
  // valid.
  if (Number.isNaN(epochMs) || isoSeconds(epochMs) !== seconds) return undefined;
  const zone = parts[8] ?? "Z";
  if (zone === "Z" || zone === "z") return `${seconds}${fraction}Z`;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  const offsetMs = (hours * 60 + minutes) * 60_000 * (zone.startsWith("-") ? -1 : 1);
  const shifted = isoSeconds(epochMs - offsetMs);
  return shifted === undefined ? undefined : `${shifted}${fraction}Z`;
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const [dash, colon, tee, dot, zulu] = [0x2d, 0x3a, 0x54, 0x2e, 0x5a];

/** The normalized form with a day that every month has; covers most times. */
const commonForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,18})?Z$/;
const normalCharsMax = 39;

/** True for the normalized form of a valid time. */
export function isNormalTime(text: string): boolean {
  return text.length <= normalCharsMax && (commonForm.test(text) || isNormal(text));
}

/** The same for a day that only some months have. */
function isNormal(text: string): boolean {
  const last = text.length - 1;
  if (last < secondChars || last > secondChars + 19 || text.charCodeAt(last) !== zulu) return false;
  if (
    text.charCodeAt(4) !== dash ||
    text.charCodeAt(7) !== dash ||
    text.charCodeAt(10) !== tee ||
    text.charCodeAt(13) !== colon ||
    text.charCodeAt(16) !== colon
  ) {
    return false;
  }
  if (last > secondChars) {
    if (text.charCodeAt(secondChars) !== dot || last === secondChars + 1) return false;
    for (let at = secondChars + 1; at < last; at += 1) if (digit(text, at) < 0) return false;
  }
  const year = pair(text, 0) * 100 + pair(text, 2);
  const month = pair(text, 5);
  const day = pair(text, 8);
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (
    year >= 0 &&
    day >= 1 &&
    day <= (month === 2 && !leap ? 28 : (daysInMonth[month - 1] ?? 0)) &&
    isBelow(pair(text, 11), 24) &&
    isBelow(pair(text, 14), 60) &&
    isBelow(pair(text, 17), 60)
  );
}

/** Value of the digit, or far below zero when there is none. */
function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 0x30;
  return value >= 0 && value <= 9 ? value : -100_000;
}

function pair(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function isBelow(value: number, bound: number): boolean {
  return value >= 0 && value < bound;
}

/** `YYYY-MM-DDTHH:MM:SS` of whole seconds, or undefined outside the years 0000 to 9999. */
function isoSeconds(epochMs: number): string | undefined {
  const date = new Date(epochMs);
  if (Number.isNaN(date.getTime())) return undefined;
  const text = isoTime(epochMs);
  return text.length === 24 ? text.slice(0, secondChars) : undefined;
}

/** Epoch values of 2000 to 2100 in each unit; outside of these ranges the unit is ambiguous. */
const epochUnits = [
  { min: 946_684_800n, digits: 0 },
  { min: 946_684_800_000n, digits: 3 },
  { min: 946_684_800_000_000n, digits: 6 },
  { min: 946_684_800_000_000_000n, digits: 9 },
] as const;
const epochMax = 4_102_444_800n;

/**
 * The time of an epoch number in seconds, milliseconds, microseconds or nanoseconds, or undefined
 * unless exactly one unit puts it between 2000 and 2100. Legacy rows only: current children have
 * text (vocabulary: Envelopes).
 */
export function epochToTime(value: number | string): string | undefined {
  const text = typeof value === "number" ? numberText(value) : value;
  const parts = text === undefined ? null : /^(\d{9,19})(?:\.(\d{1,12}))?$/.exec(text);
  if (parts === null) return undefined;
  const whole = BigInt(parts[1] ?? "");
  const unit = epochUnits.find(
    ({ min, digits }) => whole >= min && whole < epochMax * 10n ** BigInt(digits),
  );
  if (unit === undefined) return undefined;
  const scale = 10n ** BigInt(unit.digits);
  const seconds = isoSeconds(Number(whole / scale) * 1000);
  const below = unit.digits === 0 ? "" : String(whole % scale).padStart(unit.digits, "0");
  // A number beyond 2^53 has lost its last digits already, so they are dropped.
  const exact = typeof value === "string" || Number.isSafeInteger(value) || parts[2] !== undefined;
  const fraction = exact ? `${below}${parts[2] ?? ""}` : below.slice(0, 6);
  return seconds === undefined ? undefined : `${seconds}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Digits of a number as it was written. */
function numberText(value: number): string | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}
