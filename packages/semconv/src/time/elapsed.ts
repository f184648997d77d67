/** @module ElapsedTime: milliseconds between times as text, and times that are moved by some. */
import { isoTime } from "./clock.ts";
import { fractionOf, secondChars } from "./text.ts";

/** Milliseconds from one normalized time to another, negative when the clock ran backwards. */
export function elapsedMs(from: string, to: string): number | undefined {
  const whole = wholeSecondsMs(from, to);
  if (Number.isNaN(whole)) return undefined;
  const fraction = (Number(`0.${fractionOf(to)}`) - Number(`0.${fractionOf(from)}`)) * 1000;
  // A nanosecond is the finest meaningful digit; below it is noise of the subtraction.
  return Math.round((whole + fraction) * 1e6) / 1e6;
}

const minuteChars = 17;

/** Milliseconds between the whole seconds of two times; NaN where one is invalid. */
function wholeSecondsMs(from: string, to: string): number {
  // Most pairs are within one minute, where the seconds suffice without parsing the dates.
  if (from.startsWith(to.slice(0, minuteChars)) && from.charCodeAt(10) === 0x54) {
    return (secondsOf(to) - secondsOf(from)) * 1000;
  }
  const start = Date.parse(`${from.slice(0, secondChars)}Z`);
  return Date.parse(`${to.slice(0, secondChars)}Z`) - start;
}

function secondsOf(time: string): number {
  return time.charCodeAt(minuteChars) * 10 + time.charCodeAt(minuteChars + 1);
}

/** Whole milliseconds from one time to another, each cut to its millisecond. */
export function wholeMsAfter(from: string, to: string): number {
  return wholeMs(to) - wholeMs(from);
}

function wholeMs(time: string): number {
  const below = fractionOf(time).slice(0, 3).padEnd(3, "0");
  return Date.parse(`${time.slice(0, secondChars)}Z`) + Number(below);
}

/** A time moved by whole milliseconds; it keeps the digits below. Out of range: unchanged. */
export function shiftTime(time: string, ms: number): string {
  const moved = new Date(wholeMs(time) + ms);
  if (Number.isNaN(moved.getTime())) return time;
  const text = isoTime(moved.getTime());
  return text.length === 24 ? `${text.slice(0, -1)}${fractionOf(time).slice(3)}Z` : time;
}

/** A time some whole milliseconds later, to the millisecond; an unreadable one stays empty. */
export function addMs(time: string, ms: number): string {
  const moved = new Date(wholeMs(time) + ms);
  return Number.isNaN(moved.getTime()) ? "" : isoTime(moved.getTime());
}
