/**
 * @module TimeColumns: an event's times in columns that compress, without losing a digit. The
 * timestamp is a DateTime64(9) and the number of digits it came with; the start is the time that
 * elapsed before it; a duration that equals the elapsed time is not stored again. What does not fit
 * (a year outside of 1900 to 2262, more than nine digits) keeps its text beside.
 */
import type { TurnEvent } from "@turnproof/evidence";

import { clampedInstant, fractionDigits, isExact, isoOfInstant } from "../time.ts";
import type { Instant } from "../time.ts";

/** Bits of the `timing` column. */
const startFromElapsed = 1;
const durationFromElapsed = 2;
const startSaid = 4;

/** Longest elapsed time that is kept as a number: 2^53 nanoseconds, a hundred days. */
const elapsedMax = Number.MAX_SAFE_INTEGER;
const nanosPerSecond = 1_000_000_000;

/** Time columns of one event; what is at its default is left out. */
export interface TimeColumns {
  readonly timestamp: Instant;
  readonly digits: number;
  readonly timestampSaid?: string;
  readonly timing: number;
  readonly elapsedNs: number;
  readonly startedSaid?: string;
  readonly durationSaid?: number;
}

/** The columns of an event's times. */
export function timeColumns(event: TurnEvent): TimeColumns {
  const timestamp = clampedInstant(event.timestamp);
  const digits = Math.min(fractionDigits(event.timestamp), 9);
  const exact = isExact(event.timestamp);
  const start = event.started_at;
  const duration = event.duration_ms;
  let timing = 0;
  let elapsedNs = 0;
  if (start !== undefined) {
    const elapsed = nanosBetween(clampedInstant(start), timestamp);
    const small = elapsed <= elapsedMax && elapsed >= -elapsedMax;
    const told = isExact(start) && fractionDigits(start) === digits;
    if (exact && small && told) {
      timing |= startFromElapsed;
      elapsedNs = elapsed;
    } else timing |= startSaid;
  }
  const derived = (timing & startFromElapsed) !== 0 && duration === elapsedNs / 1e6;
  if (derived) timing |= durationFromElapsed;
  const columns: { -readonly [K in keyof TimeColumns]: TimeColumns[K] } = {
    timestamp,
    digits,
    timing,
    elapsedNs,
  };
  if (!exact) columns.timestampSaid = event.timestamp;
  if ((timing & startSaid) !== 0 && start !== undefined) columns.startedSaid = start;
  if (!derived && duration !== undefined) columns.durationSaid = duration;
  return columns;
}

/** Exact as long as it fits 53 bits; beyond them it is beyond them in the sum as well. */
function nanosBetween(from: Instant, to: Instant): number {
  return (to.seconds - from.seconds) * nanosPerSecond + (to.nanos - from.nanos);
}

/** The instant so many nanoseconds earlier. */
function before({ seconds, nanos }: Instant, elapsedNs: number): Instant {
  const whole = Math.floor(elapsedNs / nanosPerSecond);
  const left = nanos - (elapsedNs - whole * nanosPerSecond);
  return left < 0
    ? { seconds: seconds - whole - 1, nanos: left + nanosPerSecond }
    : { seconds: seconds - whole, nanos: left };
}

/** An event's times again. */
export function timesOf(columns: TimeColumns): {
  readonly timestamp: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
} {
  const { timestamp, digits, timing, elapsedNs, startedSaid, durationSaid, timestampSaid } =
    columns;
  const started =
    (timing & startFromElapsed) !== 0
      ? isoOfInstant(before(timestamp, elapsedNs), digits)
      : startedSaid;
  const duration = (timing & durationFromElapsed) !== 0 ? elapsedNs / 1e6 : durationSaid;
  return {
    timestamp: timestampSaid ?? isoOfInstant(timestamp, digits),
    ...(started === undefined ? {} : { started_at: started }),
    ...(duration === undefined ? {} : { duration_ms: duration }),
  };
}
