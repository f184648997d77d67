/**
 * @module Turn share: work of many sockets at once, spread over turns of the event loop, so that
 * what comes meanwhile, such as a health check, waits for a part of it and not for all (faults
 * R17, H10).
 */

/** Milliseconds of a turn of the event loop after which further work waits for the next one. */
const shareMs = 8;

/** Runs work at once while the turn has time left, else in a later turn, in order. */
export type TurnShare = (work: () => void) => void;

/** A queue without work. */
export function turnShare(): TurnShare {
  let waiting: (() => void)[] = [];
  let beganAt: number | undefined;
  const isOver = (): boolean => performance.now() - (beganAt ?? 0) >= shareMs;
  const nextTurn = (): void => {
    beganAt = waiting.length > 0 ? performance.now() : undefined;
    let done = 0;
    try {
      while (done < waiting.length && !isOver()) waiting[done++]?.();
    } finally {
      waiting = waiting.slice(done);
      if (beganAt !== undefined) setImmediate(nextTurn);
    }
  };
  return (work) => {
    if (beganAt === undefined) {
      beganAt = performance.now();
      setImmediate(nextTurn);
    }
    if (waiting.length === 0 && !isOver()) work();
    else waiting.push(work);
  };
}
