/**
 * @module Filesystem: evidence in one SQLite file and memory in plain files of one directory
 * (storage: Providers). Several processes may use it at once; writers take turns. Protection:
 * directory modes (0700, files 0600) against local users, encoding against hostile ids, and links
 * are never followed.
 */

import { isoNow } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "../evidence-admin.ts";
import { retainMemory } from "../memory/memory-retention.ts";
import type { Provider } from "../provider.ts";
import { checkBy } from "../store-check.ts";
import type { DiskCalls } from "./disk-calls.ts";
import { systemCalls } from "./disk-calls.ts";
import { openDisk } from "./disk.ts";
import { evidenceFile } from "./evidence-file.ts";
import { filesystemMemory } from "./filesystem-memory.ts";
import { memoryRows } from "./memory-rows.ts";
import { writeLock } from "./write-lock.ts";
import type { LockTimes } from "./write-lock.ts";

/** Directory and options of the provider. */
export interface FilesystemOptions {
  readonly directory: string;
  /** ISO 8601 UTC now; default: the clock of the process. */
  readonly clock?: () => string;
  /** Timing of the write lock between processes. */
  readonly lock?: Partial<LockTimes>;
  /** Evidence is read through a read-only connection, unless a new folder has to be created. */
  readonly readOnly?: boolean;
  /** False: no evidence is created, copied or changed, even in a new folder. */
  readonly mayChange?: boolean;
  /** Calls of the operating system; default: the real ones. */
  readonly calls?: DiskCalls;
}

/** A directory with both ports. */
export interface FilesystemProvider extends Provider {
  readonly name: "filesystem";
  /** Copies the batch files of an earlier version; the originals remain until they are dropped. */
  readonly copyOld: (options?: CopyOptions) => Promise<CopyReport>;
  /** Compares those files with the copy. */
  readonly checkOld: (options?: Omit<CopyOptions, "dryRun">) => Promise<ParityReport>;
  /**
   * Compares, and deletes those files. @throws CodedError `migration_pending`, `migration_differs`
   */
  readonly dropOld: () => Promise<void>;
}

/**
 * Opens both ports in a directory, creating it (0700) when it is missing.
 * @throws CodedError store_unavailable, store_read_only, store_corrupt
 */
export async function filesystem(options: FilesystemOptions): Promise<FilesystemProvider> {
  const disk = await openDisk(options.directory, options.calls ?? systemCalls);
  const clock = options.clock ?? isoNow;
  const check = (): ReturnType<typeof checkBy> => checkBy(() => disk.list([]));
  const lock = writeLock(disk, ["locks", "memory"], options.lock);
  const rows = memoryRows(disk, lock);
  const memory = filesystemMemory({
    rows,
    lock,
    clock,
    check: async () => {
      const checked = await check();
      if (!checked.ok || !(await rows.hasRefused())) return checked;
      return { ...checked, diagnostics: ["memory_rows_unowned"] };
    },
  });
  const { evidence, retain, ...old } = evidenceFile(disk, check, options);
  const close = async (): Promise<void> => {
    await evidence.close();
    await memory.close();
  };
  return {
    name: "filesystem",
    evidence,
    memory,
    retention: { evidence: retain, memory: (requested) => retainMemory(memory.admin, requested) },
    ...old,
    close,
    [Symbol.asyncDispose]: close,
  };
}
