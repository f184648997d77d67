/**
 * @module ReplaceFile: replaces a small file so that a kill or a power cut at any call leaves
 * either the old or the new content, complete.
 */
import { dirname, join } from "node:path";

import { nodeFileSystem } from "./file-system.ts";
import type { JournalFileSystem } from "./file-system.ts";

/**
 * Writes a draft beside the file, syncs, renames, and syncs the directory: once resolved it
 * survives a power cut. One call at a time for a path. The file is 0600.
 * @throws the system call's error; the file then has its old or its new content
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  disk: JournalFileSystem = nodeFileSystem,
): Promise<void> {
  const folder = dirname(path);
  const draft = `${path}.new`;
  if ((await disk.list(folder)).some((name) => join(folder, name) === draft)) {
    // Otherwise a power cut could keep the rename below with the leftover of an earlier process.
    await disk.unlink(draft);
    await disk.syncDirectory(folder);
  }
  const file = await disk.open(draft, "create");
  try {
    await file.write(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(draft, path);
  await disk.syncDirectory(folder);
}
