/**
 * @module OldTimes: an event's times in columns of the old table, with every digit. The timestamp
 * is a DateTime64(9) and its original number of digits; the start is stored as the elapsed time
 * before it; a duration equal to the elapsed time is not stored again. A time that does not fit (a
 * year outside of 1900 to 2262, more than nine digits) also keeps its text.
 */
import { isoOfInstant } from "@turnproof/semconv";
import type { Instant } from "@turnproof/semconv";

/** Bits of the `timing` column. */
const startFromElapsed = 1;
const durationFromElapsed = 2;

const nanosPerSecond = 1_000_000_000;

/** Time columns of one event; default values are left out. */
export interface TimeColumns {
  readonly timestamp: Instant;
  readonly digits: number;
  readonly timestampStated?: string;
  readonly timing: number;
  readonly elapsedNs: number;
  readonly startedStated?: string;
  readonly durationStated?: number;
}

/** The instant that many nanoseconds earlier. */
function before({ seconds, nanos }: Instant, elapsedNs: number): Instant {
  const whole = Math.floor(elapsedNs / nanosPerSecond);
  const left = nanos - (elapsedNs - whole * nanosPerSecond);
  return left < 0
    ? { seconds: seconds - whole - 1, nanos: left + nanosPerSecond }
    : { seconds: seconds - whole, nanos: left };
}

/** An event's times, decoded. */
export function timesOf(columns: TimeColumns): {
  readonly timestamp: string;
  readonly started_at?: string;
  readonly duration_ms?: number;
} {
  const { timestamp, digits, timing, elapsedNs, startedStated, durationStated, timestampStated } =
    columns;
  const started =
    (timing & startFromElapsed) !== 0
      ? isoOfInstant(before(timestamp, elapsedNs), digits)
      : startedStated;
  const duration = (timing & durationFromElapsed) !== 0 ? elapsedNs / 1e6 : durationStated;
  return {
    timestamp: timestampStated ?? isoOfInstant(timestamp, digits),
    ...(started === undefined ? {} : { started_at: started }),
    ...(duration === undefined ? {} : { duration_ms: duration }),
  };
}
