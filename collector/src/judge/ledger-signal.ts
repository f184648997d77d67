/**
 * @module LedgerSignal: a signal that turns were written to the ledger or judged, from whichever
 * thread does so.
 */

/** One signal without a value; it reaches what listens at that moment. */
export interface LedgerSignal {
  signal(): void;
  listen(listener: () => void): void;
}

/** The signal of one collector. */
export function ledgerSignal(): LedgerSignal {
  const listeners: (() => void)[] = [];
  return {
    signal: () => {
      for (const listener of listeners) listener();
    },
    listen: (listener) => void listeners.push(listener),
  };
}
