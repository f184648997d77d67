/** @module NanosKey: nanoseconds as text that sorts as they do, negative ones included. */

/** The key of these nanoseconds. */
export function nanosKey(nanos: bigint): string {
  return String(nanos + 2n ** 63n).padStart(20, "0");
}
