/**
 * @module Reserve: disk space reserved for the audit log, so that a full disk can still be
 * recorded. Once it is used nothing is served until it can be reserved again (security: Audit).
 */
import { open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

/** Appends to an open file; a test can simulate a full disk. */
export type Append = (handle: FileHandle, text: string) => Promise<void>;

/** The space reserved beside one file. */
export interface AuditReserve {
  /** True while no space is reserved: it was used, or never reserved. */
  readonly spent: boolean;
  /** Frees the space; false when there was none. */
  release(): Promise<boolean>;
  /** Reserves the space again; false while the disk is too full for it. */
  refill(): Promise<boolean>;
}

const reserveBytes = 65_536;

/** A reserve at `path`; `refill` creates it. */
export function createReserve(path: string, append: Append): AuditReserve {
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
        // A partial file reserves nothing, and the next refill writes it anew.
        await rm(path, { force: true }).catch(() => {});
      }
      return !spent;
    },
  };
}

/** True for the error of a full disk or quota. */
export function isFull(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT";
}
