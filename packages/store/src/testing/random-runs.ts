/**
 * @module RandomRuns: checks a property against random histories, as many as the kit's effort
 * allows.
 */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import type { Effort } from "./contract.ts";

/** Rejects with the shortest failing history found, and with its seed. */
export async function holdsForEvery<H>(
  drawn: Arbitrary<H>,
  promise: (history: H) => Promise<void>,
  { sequences, seed }: Effort,
): Promise<void> {
  await fc.assert(fc.asyncProperty(drawn, promise), {
    numRuns: sequences,
    ...(seed === undefined ? {} : { seed }),
    // A failing history is shrunk for a bounded time: its seed is reported anyway.
    interruptAfterTimeLimit: 240_000,
    endOnFailure: true,
  });
}
