/**
 * @module SerialQueue: work that is done one after another. Work that waits holds nothing but its
 * closure.
 */

/** Runs work when all work before it has ended, also where that failed. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** A queue without work. */
export function serialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // The caller receives the failure; the next work begins all the same.
    last = done.catch(() => undefined);
    return done;
  };
}
