/**
 * @module Renewal: loads an answer about all turns again when rows arrive, so that the counts
 * beside a list follow it.
 */

/** Longer than the server keeps such an answer. */
const pauseMinMs = 6_000;
/** A pause is this many times as long as the answer took, so that a large store can rest. */
const pauseTimes = 15;

/**
 * Loads now, and again each time that the returned function is called: at once, or when the pause
 * after the last load is over. The server can answer with counts from before the rows, so that
 * one more load follows a pause later.
 */
export function renewal(load: () => Promise<void>): () => void {
  let resting = false;
  let due = false;
  const run = async (): Promise<void> => {
    resting = true;
    due = false;
    const started = performance.now();
    await load();
    const pause = Math.max(pauseMinMs, pauseTimes * (performance.now() - started));
    window.setTimeout(() => {
      resting = false;
      if (due) void run();
    }, pause);
  };
  void run();
  return () => {
    if (!resting) void run();
    due = true;
  };
}
