/** @module TemporaryDirectory: directories of a test file, removed together at its end. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes directories and removes them all. */
export interface TemporaryDirectories {
  make(): Promise<string>;
  remove(): Promise<void>;
}

/** An empty set of directories. */
export function temporaryDirectories(): TemporaryDirectories {
  const made: string[] = [];
  return {
    async make() {
      const directory = await mkdtemp(join(tmpdir(), "turnproof-files-"));
      made.push(directory);
      return directory;
    },
    async remove() {
      for (const directory of made) await rm(directory, { recursive: true, force: true });
    },
  };
}
