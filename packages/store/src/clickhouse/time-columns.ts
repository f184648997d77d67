/**
 * @module TimeColumns: an event's times in columns that compress, without losing a digit. The
 * timestamp is a DateTime64(9) and the number of digits it came with; the start is the time that
 * elapsed before it; a duration that equals the elapsed time is not stored again. What does not fit
 * (a year outside of 1900 to 2262, more than nine digits) keeps its text beside.
 */
import type { TurnEvent } from "@turnproof/evidence";

import { clampedNanos, fractionOf, isExact, isoOfNanos } from "../time.ts";

/** Bits of the `timing` column. */
const startFromElapsed = 1;
const durationFromElapsed = 2;
const startSaid = 4;

/** Longest elapsed time that is kept as a number: 2^53 nanoseconds, a hundred days. */
const elapsedMax = BigInt(Number.MAX_SAFE_INTEGER);

/** Time columns of one event; what is at its default is left out. */
export interface TimeColumns {
  readonly timestamp: bigint;
  readonly digits: number;
  readonly timestampSaid?: string;
  readonly timing: number;
  readonly elapsedNs: number;
  readonly startedSaid?: string;
  readonly durationSaid?: number;
}

/** The columns of an event's times. */
export function timeColumns(event: TurnEvent): TimeColumns {
  const timestamp = clampedNanos(event.timestamp);
  const digits = Math.min(fractionOf(event.timestamp).length, 9);
  const exact = isExact(event.timestamp);
  const start = event.started_at;
  const duration = event.duration_ms;
  let timing = 0;
  let elapsedNs = 0;
  if (start !== undefined) {
    const elapsed = timestamp - clampedNanos(start);
    const small = elapsed <= elapsedMax && elapsed >= -elapsedMax;
    const told = isExact(start) && fractionOf(start).length === digits;
    if (exact && small && told) {
      timing |= startFromElapsed;
      elapsedNs = Number(elapsed);
    } else timing |= startSaid;
  }
  const derived = (timing & startFromElapsed) !== 0 && duration === elapsedNs / 1e6;
  if (derived) timing |= durationFromElapsed;
  return {
    timestamp,
    digits,
    ...(exact ? {} : { timestampSaid: event.timestamp }),
    timing,
    elapsedNs,
    ...((timing & startSaid) !== 0 && start !== undefined ? { startedSaid: start } : {}),
    ...(derived || duration === undefined ? {} : { durationSaid: duration }),
  };
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
      ? isoOfNanos(timestamp - BigInt(elapsedNs), digits)
      : startedSaid;
  const duration = (timing & durationFromElapsed) !== 0 ? elapsedNs / 1e6 : durationSaid;
  return {
    timestamp: timestampSaid ?? isoOfNanos(timestamp, digits),
    ...(started === undefined ? {} : { started_at: started }),
    ...(duration === undefined ? {} : { duration_ms: duration }),
  };
}
