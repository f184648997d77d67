/**
 * @module Figures: formats numbers, durations and times, the same on server and in the browser.
 * Unknown never becomes zero: callers show null as unknown.
 */

/** A value that is made at its first use: formats cost a start 17 ms of CPU in each thread. */
function atFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const grouped = atFirstUse(() => new Intl.NumberFormat("en-US"));
const short = atFirstUse(
  () => new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }),
);

/** A count with separators: `12,408`. */
export function countText(value: number): string {
  return grouped().format(value);
}

/** A count with its unit: `1 turn`, `12,408 turns`. */
export function countedText(count: number, unit: string): string {
  return `${countText(count)} ${unit}${count === 1 ? "" : "s"}`;
}

/** A count in few characters: `12.4K`; below ten thousand with every digit. */
export function shortCountText(value: number): string {
  return Math.abs(value) < 10_000 ? grouped().format(value) : short().format(value);
}

/**
 * Milliseconds with three significant digits and a suitable unit: `0.8 ms`, `1.24 s`; from a minute
 * on two units, of which the second is left out where it is zero: `1 h 2 m`, `5 min`.
 */
export function durationText(ms: number): string {
  if (ms === 0) return "0 ms";
  if (ms < 0.001) return "<1 µs";
  if (ms < 1) return `${significant(ms * 1_000)} µs`;
  if (ms < 1_000) return `${significant(ms)} ms`;
  if (ms < 60_000) return `${significant(ms / 1_000)} s`;
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return twoUnits(Math.floor(hours / 24), "d", hours % 24, "h");
  if (hours > 0) return twoUnits(hours, "h", minutes % 60, "m");
  const seconds = Math.floor((ms % 60_000) / 1_000);
  // Beside another unit a letter is clear, and the column is narrow.
  return seconds === 0 ? `${minutes} min` : twoUnits(minutes, "m", seconds, "s");
}

function twoUnits(whole: number, unit: string, rest: number, part: string): string {
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${part}`;
}

const spanUnits = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
] as const;

/** A span of time in words where it is whole: `1 hour`, `15 minutes`; else as a duration. */
export function spanText(ms: number): string {
  const [each, unit] = spanUnits.find(([length]) => ms >= length && ms % length === 0) ?? [];
  if (each === undefined) return durationText(ms);
  const count = ms / each;
  return countedText(count, unit);
}

function significant(value: number): string {
  if (value >= 100) return String(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

const cents = atFirstUse(
  () => new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
);

/** US dollars: from one dollar with cents, below with three significant digits. */
export function usdText(usd: number): string {
  if (usd === 0) return "$0";
  if (usd >= 1) return `$${cents().format(usd)}`;
  if (usd < 1e-6) return "<$0.000001";
  const decimals = Math.min(12, 2 - Math.floor(Math.log10(usd)));
  return `$${usd
    .toFixed(decimals)
    .replace(/0+$/, "")
    .replace(/\.$/, "")
    .replace(/(\.\d)$/, "$10")}`;
}

/** A share as a percentage without decimals: `37 %`. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? "0 %" : `${Math.round((part / whole) * 100)} %`;
}

/** Bytes in binary units: `1.4 MiB`. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < units.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${significant(value)} ${units[unit] ?? "B"}`;
}

/** Clock in which times are shown. */
export type DisplayClock = "utc" | "local";

/** Precision of a shown time. `row`: the time alone for today, the day with it for other days. */
export type TimeForm = "time" | "second" | "minute" | "date" | "day" | "daytime" | "row" | "full";

const two = (value: number): string => String(value).padStart(2, "0");

/** Original digits of a time's fraction; none are added. */
function fractionOf(iso: string): string {
  const digits = /\.(\d+)Z$/.exec(iso)?.[1];
  // Trailing zeros are dropped; milliseconds are kept.
  return digits === undefined ? "" : digits.replace(/0+$/, "").padEnd(3, "0");
}

/**
 * A time for display. `time` keeps milliseconds, `full` keeps every digit and the day. Invalid
 * text is returned unchanged.
 */
export function timeText(
  iso: string,
  clock: DisplayClock,
  form: TimeForm,
  nowMs: number = Date.now(),
): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const local = clock === "local";
  const day = dayText(at, clock);
  const minute = local
    ? `${two(at.getHours())}:${two(at.getMinutes())}`
    : `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
  const second = two(local ? at.getSeconds() : at.getUTCSeconds());
  const fraction = fractionOf(iso);
  const offset = local && (form === "daytime" || form === "full") ? repeatedOffset(at) : "";
  const digits = fraction === "" ? "" : `.${fraction}`;
  switch (form) {
    case "day":
      return day;
    case "date":
      // A day of UTC begins within one of another clock.
      return minute === "00:00" ? day.slice(5) : `${day.slice(5)} ${minute}`;
    case "minute":
      return minute;
    case "second":
      return `${minute}:${second}`;
    case "daytime":
      return `${day.slice(5)} ${minute}:${second}${offset}`;
    case "row":
      return timeText(iso, clock, isOn(day, nowMs, clock) ? "time" : "daytime");
    case "time":
      return `${minute}:${second}.${fraction.padEnd(3, "0").slice(0, 3)}`;
    case "full":
      return `${day} ${minute}:${second}${digits}${local ? offset : " UTC"}`;
  }
}

/**
 * The offset from UTC, ` +01:00`, of a time whose local time another instant has too: the clock
 * goes back, and repeats an hour. Empty for every other time.
 */
export function repeatedOffset(at: Date): string {
  const minutes = at.getTimezoneOffset();
  const isRepeated = [-4, 4].some((hours) => {
    const other = new Date(at.getTime() + hours * 3_600_000).getTimezoneOffset();
    // The clock goes back by that, at a time near this one.
    const twin = new Date(at.getTime() + (minutes - other) * -60_000);
    return other !== minutes && twin.getTimezoneOffset() === other;
  });
  if (!isRepeated) return "";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return ` ${minutes > 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}

/** The day of a time, `2026-11-21`. */
function dayText(at: Date, clock: DisplayClock): string {
  if (clock === "local") {
    return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  }
  return `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
}

/** True where a time, epoch milliseconds, is on this day. */
function isOn(day: string, ms: number, clock: DisplayClock): boolean {
  return dayText(new Date(ms), clock) === day;
}

/** True where a time, epoch milliseconds, is on the present day of UTC. */
export function isToday(ms: number): boolean {
  return isOn(dayText(new Date(ms), "utc"), Date.now(), "utc");
}

const ages = atFirstUse(() => new Intl.RelativeTimeFormat("en", { numeric: "always" }));
const ageUnits: readonly (readonly [unit: "day" | "hour" | "minute" | "second", ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];

/** How long ago a time was, `3 hours ago`; empty for invalid text. */
export function agoText(iso: string, nowMs: number): string {
  const byMs = Date.parse(iso) - nowMs;
  if (Number.isNaN(byMs)) return "";
  const [unit, ms] = ageUnits.find(([, size]) => Math.abs(byMs) >= size) ?? ["second", 1_000];
  return ages().format(Math.trunc(byMs / ms), unit);
}

/** An id that is too long for its place: its beginning and its end. */
export function shortId(id: string, chars = 12): string {
  if (id.length <= chars) return id;
  const tail = Math.min(4, Math.floor(chars / 3));
  return `${id.slice(0, chars - tail - 1)}…${id.slice(-tail)}`;
}

/** A code in words: `delivery_unconfirmed` becomes `delivery unconfirmed`. */
export function wordsOf(code: string): string {
  return code.replaceAll("_", " ");
}
