/**
 * @module LedgerSignal: a signal that turns were written to the ledger or judged, from whichever
 * thread does so.
 */

/** One signal; it reaches what listens at that moment. */
export interface LedgerSignal {
  /** @param sinceMs receipt of the first of these turns, epoch milliseconds */
  signal(sinceMs: number): void;
  listen(listener: (sinceMs: number) => void): void;
}

/** The signal of one collector. */
export function ledgerSignal(): LedgerSignal {
  const listeners: ((sinceMs: number) => void)[] = [];
  return {
    signal: (sinceMs) => {
      for (const listener of listeners) listener(sinceMs);
    },
    listen: (listener) => void listeners.push(listener),
  };
}
