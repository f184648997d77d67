/**
 * @module Inspect: what the next start will find in a journal. It is the recovery of a start over
 * a file system that refuses every change.
 */
import { CodedError } from "@turnproof/semconv";

import { readCheckpoint } from "./checkpoint-file.ts";
import { openDamageRecord } from "./damage.ts";
import { ownerOf } from "./directory-lock.ts";
import { nodeFileSystem } from "./file-system.ts";
import type { JournalFileSystem } from "./file-system.ts";
import { recover } from "./recovery.ts";
import { journalFailed } from "./system-failure.ts";

/** Damage that no start has set aside yet; earlier ranges are files `*.corrupt`. */
export interface InspectedJournal {
  readonly ranges: number;
  /** Acknowledged frames that are stored nowhere else. */
  readonly lostFrames: number;
  readonly missingSegments: number;
  /** Names of the segments with damage, also of missing ones with lost frames. */
  readonly segments: readonly string[];
}

/**
 * Reads the whole journal, and changes nothing.
 *
 * @returns undefined while a process owns the directory
 * @throws CodedError `store_version_newer`; `journal_failed` with path and reason where the disk
 * fails
 */
export async function inspectJournal(
  directory: string,
  fileSystem: JournalFileSystem = nodeFileSystem,
): Promise<InspectedJournal | undefined> {
  const disk = unchanged(fileSystem);
  try {
    const names = await disk.list(directory);
    if (ownerOf(names) !== undefined) return undefined;
    const damage = openDamageRecord(disk, directory, names, Date.now);
    const recovered = await recover({
      fileSystem: disk,
      directory,
      names,
      found: await readCheckpoint(disk, directory, names),
      damage,
      beforeChanges: async () => {},
      verifyChecksums: true,
    });
    return {
      ranges: recovered.newRanges,
      lostFrames: recovered.newLostFrames,
      missingSegments: recovered.missingSegments,
      segments: [...new Set(damage.takeNew().flatMap((name) => name.split("-", 1)))],
    };
  } catch (error) {
    throw CodedError.is(error) ? error : journalFailed(error, directory);
  }
}

/** The recovery goes on where a disk refuses its repairs, and counts all the same. */
function unchanged(fileSystem: JournalFileSystem): JournalFileSystem {
  const refuse = async (): Promise<never> => {
    throw Object.assign(new Error("The journal is only read."), { code: "EROFS" });
  };
  return {
    makeDirectory: refuse,
    list: (directory) => fileSystem.list(directory),
    open: (path, mode) => (mode === "read" ? fileSystem.open(path, mode) : refuse()),
    rename: refuse,
    unlink: refuse,
    syncDirectory: refuse,
  };
}
