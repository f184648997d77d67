/** @module Undisturbed: calls a host's listener without its errors. */

/** A listener's error must not count as a disk error. */
export function undisturbed<A extends unknown[]>(
  listener: ((...args: A) => void) | undefined,
): (...args: A) => void {
  return (...args) => {
    try {
      listener?.(...args);
    } catch {
      // The listener's own error; this code has no one to report it to.
    }
  };
}
