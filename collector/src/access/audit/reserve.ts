/**
 * @module Reserve: a little disk space that is kept for the audit log, so that a full disk can
 * still be recorded. Once it is spent nothing is served until it can be kept again (design 6.3).
 */
import { open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

/** Appends to an open file; a test's disk may be full. */
export type Append = (handle: FileHandle, text: string) => Promise<void>;

/** The space kept beside one file. */
export interface Reserve {
  /** True while the space is not kept: it was spent, or there never was any. */
  readonly spent: boolean;
  /** Frees the space; false when there was none. */
  release(): Promise<boolean>;
  /** Keeps the space again; false while the disk is too full for it. */
  refill(): Promise<boolean>;
}

const reserveBytes = 65_536;

/** A reserve at `path`; `refill` keeps it for the first time. */
export function createReserve(path: string, append: Append): Reserve {
  let spent = true;
  return {
    get spent() {
      return spent;
    },
    release: async () => {
      if (spent) return false;
      spent = true;
      await rm(path, { force: true });
      return true;
    },
    refill: async () => {
      try {
        const handle = await open(path, "w", 0o600);
        try {
          await append(handle, "\0".repeat(reserveBytes));
          await handle.datasync();
        } finally {
          await handle.close();
        }
        spent = false;
      } catch {
        await rm(path, { force: true }).catch(() => {});
      }
      return !spent;
    },
  };
}

/** True for the error of a disk or quota that is full. */
export function isFull(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}
