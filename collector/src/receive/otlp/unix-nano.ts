/**
 * @module Nanoseconds since the epoch, exact: 64 bits from the wire to decimal digits without
 * floating point.
 */
import type { Instant } from "@turnproof/semconv";

/** 2^32 = 4 · 10^9 + 294,967,296; the parts below keep every product under 2^53. */
const remainder32 = 294_967_296;
const high = 65_536 * remainder32;
const highSeconds = Math.floor(high / 1e9);
const highNanos = high % 1e9;

/** `upper * 2^32 + lower` nanoseconds. */
export function unixTime(upper: number, lower: number): Instant {
  const upperHigh = upper >>> 16;
  const upperLow = upper & 0xffff;
  const rest = upperHigh * highNanos + upperLow * remainder32 + lower;
  const carried = Math.floor(rest / 1e9);
  return { seconds: upper * 4 + upperHigh * highSeconds + carried, nanos: rest - carried * 1e9 };
}

/** Decimal digits of a time in nanoseconds. */
export function nanoText({ seconds, nanos }: Instant): string {
  return seconds === 0 ? String(nanos) : `${seconds}${String(nanos + 1e9).slice(1)}`;
}

/** The digits as a 64-bit count, without leading zeros, or undefined when they are invalid. */
export function nanoDigits(digits: string): string | undefined {
  if (digits.length === 0 || digits.length > 20) return undefined;
  for (let at = 0; at < digits.length; at++) {
    const code = digits.charCodeAt(at);
    if (code < 48 || code > 57) return undefined;
  }
  if (digits.length === 20 && digits > "18446744073709551615") return undefined;
  if (digits.length > 1 && digits.charCodeAt(0) === 48) return digits.replace(/^0+(?=\d)/, "");
  return digits;
}
