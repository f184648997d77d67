/**
 * @module Reserve: disk space that is released only to write a checkpoint on a full disk. Without
 * it a journal that filled the disk could never record that it was drained, and so never free the
 * space.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { isNoSpace } from "./file-system.ts";
import type { JournalFileSystem } from "./file-system.ts";

/** Space reserved in one directory. */
export interface Reserve {
  /** Runs the work, and once more without the reserve when the disk was full. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /** Reserves the space again as soon as there is some; never rejects. */
  refill(): Promise<void>;
}

const reserveName = "reserve";

/** Takes over the reserve of an earlier run; `refill` creates a missing one. */
export function openReserve(
  fileSystem: JournalFileSystem,
  directory: string,
  names: readonly string[],
  reserveBytes: number,
): Reserve {
  const path = join(directory, reserveName);
  let held = names.includes(reserveName);
  return {
    async spend(work) {
      try {
        return await work();
      } catch (error) {
        if (!isNoSpace(error) || !held) throw error;
        held = false;
        // Where it cannot be removed, the work fails again and is reported.
        await fileSystem.unlink(path).catch(() => undefined);
        return work();
      }
    },
    async refill() {
      if (held) return;
      try {
        // Usually there is none; a file that cannot be removed fails the creation below.
        await fileSystem.unlink(path).catch(() => undefined);
        const file = await fileSystem.open(path, "create");
        try {
          // Not zeros: a file system that stores them as holes would reserve nothing.
          await file.write(randomBytes(reserveBytes), 0);
          await file.sync();
          held = true;
        } finally {
          await file.close();
        }
        await fileSystem.syncDirectory(directory);
      } catch {
        held = false;
        // A partial file reserves nothing, and the next refill writes it anew.
        await fileSystem.unlink(path).catch(() => undefined);
      }
    },
  };
}
