/**
 * @module Filesystem: evidence and memory in one directory of plain files (design 5.2). Several
 * processes may use it at once; writers take turns. Local attackers are held off by the modes of the
 * directory (0700, files 0600), hostile ids by their encoding, and links by never being followed.
 */
import { performance } from "node:perf_hooks";

import { CodedError } from "@turnproof/semconv";

import type { CheckResult } from "../evidence-store.ts";
import type { AdministeredMemory } from "../provider.ts";
import type { DiskCalls } from "./disk-calls.ts";
import { systemCalls } from "./disk-calls.ts";
import type { Disk } from "./disk.ts";
import { openDisk } from "./disk.ts";
import { filesystemMemory } from "./filesystem-memory.ts";
import { memoryRows } from "./memory-rows.ts";
import { writeLock } from "./write-lock.ts";
import type { LockTimes } from "./write-lock.ts";

/** Where the files lie. */
export interface FilesystemOptions {
  readonly directory: string;
  /** ISO 8601 UTC now; default: the clock of the process. */
  readonly clock?: () => string;
  /** How writers of several processes wait for each other. */
  readonly lock?: Partial<LockTimes>;
  /** Calls of the operating system; default: the real ones. */
  readonly calls?: DiskCalls;
}

/** Opens the memory half alone. @throws CodedError store_unavailable, store_read_only, store_corrupt */
export async function filesystem(
  options: FilesystemOptions,
): Promise<{ memory: AdministeredMemory }> {
  const disk = await openDisk(options.directory, options.calls ?? systemCalls);
  const lock = writeLock(disk, ["locks", "memory"], options.lock);
  const clock = options.clock ?? (() => new Date().toISOString());
  const check = checkOf(disk);
  return { memory: filesystemMemory({ rows: memoryRows(disk, lock), lock, clock, check }) };
}

function checkOf(disk: Disk): () => Promise<CheckResult> {
  return async () => {
    const start = performance.now();
    const elapsedMs = (): number => performance.now() - start;
    try {
      await disk.list([]);
      return { ok: true, elapsedMs: elapsedMs() };
    } catch (error) {
      const code = CodedError.is(error) ? error.code : "store_unavailable";
      return { ok: false, code, elapsedMs: elapsedMs() };
    }
  };
}
