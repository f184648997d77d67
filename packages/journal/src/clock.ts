/**
 * @module Clock: the port through which the journal and its drain read time and wait. A wait does
 * not keep the process alive unless requested: an application with a spool must be able to end.
 */
import { setTimeout as wait } from "node:timers/promises";

/** Time. `sleep` resolves early, without an error, when the signal aborts. */
export interface JournalClock {
  /** Milliseconds since the epoch, or of a steady clock. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal, keepAlive?: boolean): Promise<void>;
}

/** The clock of this machine; its time may be set ahead or back while the process runs. */
export const systemClock: JournalClock = {
  now: () => Date.now(),
  async sleep(ms, signal, keepAlive = false) {
    if (signal?.aborted === true) return;
    const options = signal === undefined ? { ref: keepAlive } : { ref: keepAlive, signal };
    // The wait ends early when the signal aborts.
    await wait(ms, undefined, options).catch(() => undefined);
  },
};

/**
 * A clock for durations: its time has no date and is never set. A wait that is reckoned by the
 * machine's clock would last a day when that is set back by one.
 */
export const steadyClock: JournalClock = { ...systemClock, now: () => performance.now() };
