/**
 * @module Descriptors: how many files and sockets this process has open, and how many it may have
 * (`RLIMIT_NOFILE`). At the limit connections are reset, and the journal and the store fail with
 * their own codes; the log names the cause (faults R31).
 */
import { readFileSync, readdirSync } from "node:fs";

import type { Log } from "../log.ts";

/** Open descriptors, and the limit of the process. */
export interface Descriptors {
  readonly open: number;
  readonly max: number;
}

const folder = "/proc/self/fd";
/** Share of the limit above which a line is logged. */
const lowShare = 0.9;
const everyMs = 5_000;

/** The limit; unknown where the system has no `/proc`, or sets none. */
function readMax(): number | undefined {
  try {
    const [, soft] =
      /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    // Not Linux.
    return undefined;
  }
}

const max = readMax();

/** Open descriptors and the limit; undefined where the system has no `/proc`. */
export function descriptors(): Descriptors | undefined {
  if (max === undefined) return undefined;
  try {
    // One of them is that of this reading.
    return { open: readdirSync(folder).length - 1, max };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? { open: max, max } : undefined;
  }
}

/**
 * Logs `descriptors_low` when nine tenths of the limit are in use, and again only after it was
 * below.
 *
 * @returns ends the watch
 */
export function watchDescriptors(
  log: Pick<Log, "warn">,
  {
    read = descriptors,
    ms = everyMs,
  }: { readonly read?: typeof descriptors; readonly ms?: number } = {},
): () => void {
  let isLow = false;
  const look = (): void => {
    const found = read();
    const low = found !== undefined && found.open >= found.max * lowShare;
    if (low && !isLow) log.warn("descriptors_low", { count: found.open, limit: found.max });
    isLow = low;
  };
  const timer = setInterval(look, ms).unref();
  return () => clearInterval(timer);
}
