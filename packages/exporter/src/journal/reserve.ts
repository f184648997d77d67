/**
 * @module Reserve: a little disk space that is given up only so that a checkpoint can be written on
 * a full disk. Without it a journal that filled the disk could never say that it was drained, and
 * so never give the space back.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { isNoSpace } from "./file-system.ts";
import type { JournalFileSystem } from "./file-system.ts";

/** Space held back in one directory. */
export interface Reserve {
  /** Runs the work, and once more without the reserve when the disk was full. */
  spend<T>(work: () => Promise<T>): Promise<T>;
  /** Takes the space back as soon as there is some; never rejects. */
  refill(): Promise<void>;
}

const reserveName = "reserve";

/** Takes over what an earlier run held back; `refill` takes it where there was none. */
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
        await fileSystem.unlink(path).catch(() => undefined);
        return work();
      }
    },
    async refill() {
      if (held) return;
      try {
        await fileSystem.unlink(path).catch(() => undefined);
        const file = await fileSystem.open(path, "create");
        try {
          // Not zeros: a file system that stores those as holes would hold nothing back.
          await file.write(randomBytes(reserveBytes), 0);
          await file.sync();
          held = true;
        } finally {
          await file.close();
        }
        await fileSystem.syncDirectory(directory);
      } catch {
        held = false;
        await fileSystem.unlink(path).catch(() => undefined);
      }
    },
  };
}
