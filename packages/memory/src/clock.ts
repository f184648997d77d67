/**
 * @module Clock: timestamps of memory rows. Lists sort by `created_at`, so two rows of one process
 * never share a time, and every time has the same number of digits.
 */

/** ISO 8601 UTC now. */
export type Clock = () => string;

/** A clock in microseconds that never goes back. */
export function memoryClock(): Clock {
  let last = 0;
  return () => {
    const micros = Math.floor((performance.timeOrigin + performance.now()) * 1_000);
    last = Math.max(last + 1, micros);
    const whole = new Date(Math.floor(last / 1_000)).toISOString();
    return `${whole.slice(0, -1)}${String(last % 1_000).padStart(3, "0")}Z`;
  };
}

/** The time `seconds` after a time of ours, for `expires_at`. */
export function after(time: string, seconds: number): string {
  return new Date(Date.parse(time) + seconds * 1_000).toISOString();
}
