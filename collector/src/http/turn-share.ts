/**
 * @module Turn share: work of many sockets at once, spread over turns of the event loop, so that
 * what comes meanwhile, such as a health check, waits for a part of it and not for all (faults
 * R17, H10).
 */

/** Milliseconds of a turn of the event loop after which further work waits for the next one. */
const shareMs = 8;
/** Milliseconds for which work waits at most while connections arrive. */
const heldMs = 40;

/** Runs work at once while the turn has time left, else in a later turn, in order. */
export type TurnShare = (work: () => void) => void;

/**
 * A queue without work.
 *
 * @param arrivals connections that have arrived so far. A turn of the event loop accepts one of
 * them, so a health check behind a thousand others would wait for a thousand turns with work: turns
 * in which one arrives do none, for a bounded time.
 */
export function turnShare(arrivals: () => number = () => 0): TurnShare {
  let waiting: (() => void)[] = [];
  let beganAt: number | undefined;
  let seen = 0;
  let heldAt: number | undefined;
  const isOver = (): boolean => performance.now() - (beganAt ?? 0) >= shareMs;
  const isHeld = (): boolean => {
    const arrived = arrivals();
    if (arrived === seen) heldAt = undefined;
    else heldAt ??= performance.now();
    seen = arrived;
    const held = heldAt !== undefined && performance.now() - heldAt < heldMs;
    if (!held) heldAt = undefined;
    return held;
  };
  const nextTurn = (): void => {
    if (waiting.length > 0 && isHeld()) {
      setImmediate(nextTurn);
      return;
    }
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
    if (waiting.length === 0 && arrivals() === seen && !isOver()) work();
    else waiting.push(work);
  };
}
