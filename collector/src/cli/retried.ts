/**
 * @module Retried: a request that is sent again where the collector is busy, after the time of its
 * `Retry-After` and within a bound.
 */
import { setTimeout as wait } from "node:timers/promises";

import { Refusal } from "./client.ts";

/** Most repeats of a request, and the longest time that they wait in all. */
const repeatsMax = 20;
const waitMsMax = 120_000;

/**
 * The answer of a request, or of its repeats. @param signal ends the waiting
 *
 * @throws Refusal the last one, once the bound is reached; one without `Retry-After` at once
 */
export async function retried<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let waitedMs = 0;
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await request();
    } catch (error) {
      const afterMs = error instanceof Refusal ? error.retryAfterMs : undefined;
      if (afterMs === undefined || repeats === repeatsMax) throw error;
      waitedMs += afterMs;
      if (waitedMs > waitMsMax) throw error;
      await wait(afterMs, undefined, signal === undefined ? {} : { signal });
    }
  }
}
