/**
 * @module Received clock: time of receipt in microseconds, strictly increasing within a process.
 * The client's clock is stored, not relied on (faults R12).
 */
export type ReceivedClock = () => string;

/** A clock over `micros`, by default the system's. */
export function createReceivedClock(
  micros: () => number = () => Math.floor((performance.timeOrigin + performance.now()) * 1_000),
): ReceivedClock {
  let last = 0;
  return () => {
    last = Math.max(last + 1, micros());
    const millis = Math.floor(last / 1_000);
    const rest = String(last - millis * 1_000).padStart(3, "0");
    return new Date(millis).toISOString().replace("Z", `${rest}Z`);
  };
}
