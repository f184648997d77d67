/**
 * @module ReadBudget: how long one request waits for its store, over all of its reads: those in a
 * row add up, those side by side count once. A request that has spent it reads nothing more.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import { CodedError } from "@turnproof/semconv";

/** The waiting of one request. */
export interface ReadBudget {
  /**
   * Begins a read, which `end` ends when the budget is spent; returns what ends its count.
   *
   * @throws CodedError `store_timeout` when it is spent already
   */
  begin(read: string, end: (error: CodedError) => void): () => void;
}

const requests = new AsyncLocalStorage<ReadBudget>();
const tickMs = 100;

/** Runs a request's work; its reads wait this number of milliseconds altogether. */
export function withinBudget<T>(ms: number, work: () => T): T {
  return requests.run(createBudget(ms), work);
}

/** The budget of the request that this call belongs to; none outside of one. */
export function presentBudget(): ReadBudget | undefined {
  return requests.getStore();
}

/** What a read rejects with. @param read its name, which a caller may see */
export function readTimedOut(read: string): CodedError {
  return new CodedError("store_timeout", { field: read });
}

function createBudget(ms: number): ReadBudget {
  const reads = new Map<symbol, () => void>();
  let waitedMs = 0;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  const count = (): void => {
    const now = performance.now();
    // A busy thread processes an answer late: that time is not counted against the store.
    waitedMs += Math.min(now - since, tickMs);
    since = now;
  };
  const tick = (): void => {
    count();
    if (waitedMs < ms) return;
    for (const end of reads.values()) end();
  };
  return {
    begin(read, end) {
      if (waitedMs >= ms) throw readTimedOut(read);
      const key = Symbol(read);
      reads.set(key, () => end(readTimedOut(read)));
      if (timer === undefined) {
        since = performance.now();
        timer = setInterval(tick, tickMs);
      }
      return () => {
        if (!reads.delete(key) || reads.size > 0) return;
        count();
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
