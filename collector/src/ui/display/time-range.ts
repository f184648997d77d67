/**
 * @module TimeRange: the times of a filter as they are written in an address: `start_time` and
 * `end_time`, each an ISO 8601 time, a date, or a relative time such as `-24h`, which stays
 * relative. Every reader of such a time uses this module; shared by server and browser.
 */
import { compareTimes, isoTime, normalizeTime } from "@turnproof/semconv";

/** The two times as they are written. */
export interface RequestedRange {
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
}

/** Names of the parameters of a range. */
export const rangeParameters = ["start_time", "end_time"] as const;

/** A range of an address that a page does not apply. */
export interface RefusedRange {
  readonly requested: RequestedRange;
  /** Parameters that are no times; without any, the end is not after the start. */
  readonly noTimes: readonly (typeof rangeParameters)[number][];
}

/** A time as an address has it: the plus of an offset becomes a space in a query string. */
export function writtenTime(text: string): string {
  return text.replace(/ (?=\d{2}:?\d{2}$)/, "+");
}

/** Longest time that is read. */
export const timeCharsMax = 64;

/** Why a range cannot be applied; undefined where it can, or where there is none. */
export function refusedRange(requested: RequestedRange, nowMs: number): RefusedRange | undefined {
  const read = (name: keyof RequestedRange): string | undefined => {
    const text = requested[name] ?? "";
    return text.length > timeCharsMax ? undefined : readTime(writtenTime(text), nowMs);
  };
  const noTimes = rangeParameters.filter(
    (name) => requested[name] !== undefined && read(name) === undefined,
  );
  const [start, end] = [read("start_time"), read("end_time")];
  const isEmpty = start !== undefined && end !== undefined && compareTimes(start, end) >= 0;
  return noTimes.length > 0 || isEmpty ? { requested, noTimes } : undefined;
}

/** True for two times of which the first is the later one. */
export function countsBack(from: string, to: string): boolean {
  const [start, end] = [from, to].map((text) => readTime(writtenTime(text), Date.now()));
  return start !== undefined && end !== undefined && compareTimes(start, end) > 0;
}

const unitMs: { readonly [unit: string]: number } = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Days to which a relative time reaches: ten years, far beyond what is kept. */
const relativeDaysMax = 3_650;

/** What the two ends take, for the reader of one that was not understood. */
export const timeForms = `2026-11-21, 2026-11-21T09:30:00Z or a relative time, -24h, back to -${relativeDaysMax}d`;

/** Milliseconds before now of a relative time; undefined for another text, and beyond the bound. */
function relativeMs(text: string): number | undefined {
  const [, count, unit] = /^-(\d{1,5})([smhdw])$/.exec(text) ?? [];
  const each = unitMs[unit ?? ""];
  const ago = each === undefined ? undefined : Number(count) * each;
  return ago === undefined || ago > relativeDaysMax * 86_400_000 ? undefined : ago;
}

/** True for a relative time: `-15m`, `-24h`, `-7d`, `-4w`. */
export function isRelative(text: string | null | undefined): boolean {
  return typeof text === "string" && relativeMs(text) !== undefined;
}

const unitNames: { readonly [unit: string]: string } = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
};

/** A relative time in words: `3 hours ago`; another text unchanged. */
export function relativeTexts(text: string): string {
  if (!isRelative(text)) return text;
  const count = Number(text.slice(1, -1));
  return `${count} ${unitNames[text.slice(-1)] ?? ""}${count === 1 ? "" : "s"} ago`;
}

/**
 * A time in UTC, or undefined for a text that is none. A date is its midnight, minutes are full
 * ones, and a text without a zone is UTC; a relative time counts back from `nowMs`.
 */
export function readTime(text: string, nowMs: number): string | undefined {
  const ago = relativeMs(text);
  if (ago !== undefined) return isoTime(nowMs - ago);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return normalizeTime(`${text}T00:00:00Z`);
  // A browser's field for times leaves out the seconds of a full minute.
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)) return normalizeTime(`${text}:00Z`);
  return normalizeTime(text);
}

/**
 * The range that a chart covers, its last instant included; undefined where an end is open. A
 * range that begins at a relative time lasts until now.
 */
export function rangeOf(
  { start_time: start, end_time: end }: RequestedRange,
  nowMs: number,
): readonly [number, number] | undefined {
  const from = start === undefined ? undefined : readTime(start, nowMs);
  const open = end === undefined && isRelative(start) ? nowMs : undefined;
  const to = end === undefined ? undefined : readTime(end, nowMs);
  if (from === undefined || (to === undefined && open === undefined)) return undefined;
  const fromMs = Date.parse(from);
  return [fromMs, Math.max(to === undefined ? (open ?? fromMs) : Date.parse(to) - 1, fromMs)];
}

/** The offered ranges, shortest first. */
export const offeredRanges: readonly { readonly start: string; readonly name: string }[] = [
  { start: "-15m", name: "Last 15 minutes" },
  { start: "-1h", name: "Last hour" },
  { start: "-6h", name: "Last 6 hours" },
  { start: "-24h", name: "Last 24 hours" },
  { start: "-7d", name: "Last 7 days" },
  { start: "-30d", name: "Last 30 days" },
];

/** The range of an address: the parameters that are set. */
export function requestedRange(query: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rangeParameters.flatMap((name) => {
      const value = query.get(name);
      return value === null || value === "" ? [] : [[name, value] as const];
    }),
  );
}

/** An address with the range of another one; its own range wins. */
export function inRange(href: string, query: URLSearchParams): string {
  const [path = "", own = ""] = href.split("?", 2);
  const next = new URLSearchParams(own);
  if (rangeParameters.some((name) => next.has(name))) return href;
  for (const [name, value] of Object.entries(requestedRange(query))) next.set(name, value);
  const text = next.toString();
  return text === "" ? path : `${path}?${text}`;
}
