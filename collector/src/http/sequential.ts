/**
 * @module Sequential: work that is done one after another, because each piece of it needs much
 * memory until it is done: those that wait hold nothing.
 */

/** Runs work when all work before it has ended, also where that failed. */
export type Sequential = <T>(work: () => Promise<T>) => Promise<T>;

/** A queue without work. */
export function sequential(): Sequential {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // The caller receives the failure; the next one begins all the same.
    last = done.catch(() => undefined);
    return done;
  };
}
