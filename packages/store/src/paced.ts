/** @module Paced: long work in parts, between which the thread answers others. */
import { setImmediate } from "node:timers/promises";

/** Longest time for which the thread is blocked. */
const holdMsMax = 4;

/**
 * Resolves at once, or after a turn of the event loop when the thread was blocked for too long.
 */
export function paced(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < holdMsMax) return;
    await setImmediate();
    since = performance.now();
  };
}
