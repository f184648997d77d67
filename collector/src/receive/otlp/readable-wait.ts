/** @module ReadableWait: waits until what was acknowledged can be read. */
import { setTimeout as sleep } from "node:timers/promises";

import type { Drain, Journal } from "@turnproof/journal";

import type { PendingRoots } from "./pending-roots.ts";

/** How often a waiting reader checks whether something was stored. */
const lookMs = 25;

/**
 * Waits until the drain stored more than `seen` batches, the time is over or the signal aborts.
 */
export async function nextStored(
  drain: Drain,
  seen: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + waitMs;
  while (!signal.aborted && performance.now() < until) {
    if (drain.stats().storedBatches > seen) return;
    // The wait ends early when the request is aborted.
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}

/** What a waiting reader looks at. */
interface Waiting {
  readonly journal: Journal;
  readonly drain: Drain;
  readonly pending: PendingRoots;
}

/**
 * Waits for the frames acknowledged before, of these roots alone where they are given; returns the
 * number that is still not readable.
 */
export async function settled(
  { journal, drain, pending }: Waiting,
  waitMs: number,
  roots?: readonly string[],
): Promise<number> {
  const { acknowledgedThrough: last } = journal.stats();
  const until = performance.now() + waitMs;
  for (;;) {
    const { drainedThrough } = journal.stats();
    const all = Math.max(0, last - drainedThrough);
    const left = roots === undefined ? all : pending.count(roots, drainedThrough, last);
    // While the store refuses, waiting would only delay the answer.
    if (left === 0 || performance.now() >= until || drain.stats().failure !== undefined)
      return left;
    drain.kick();
    await sleep(lookMs);
  }
}
