/** @module Thread limits: how much memory a thread of the collector may keep. */
import type { ResourceLimits } from "node:worker_threads";

/**
 * Size of a thread's young generation in MiB: semi-spaces of 8 MiB. By default they grow to 16 MiB
 * and more in each thread; that costs about 50 MiB of resident memory a thread and saves no CPU
 * time.
 */
const youngMegabytesMax = 24;

/** The limits of a thread whose old generation has at most this number of MiB. */
export function threadLimits(oldMegabytesMax: number): ResourceLimits {
  return {
    maxOldGenerationSizeMb: oldMegabytesMax,
    maxYoungGenerationSizeMb: youngMegabytesMax,
  };
}
