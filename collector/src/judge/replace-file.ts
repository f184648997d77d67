/**
 * @module ReplaceFile: puts bytes in the place of a small file, so that a kill or a power cut at
 * any call leaves the bytes before or these, whole.
 */
import { dirname, join } from "node:path";

import { nodeFileSystem } from "@turnproof/exporter/journal";
import type { JournalFileSystem } from "@turnproof/exporter/journal";

/**
 * Writes beside the file, syncs, renames, and syncs the directory: what it resolves for outlasts a
 * power cut. One call at a time for a path. The file is 0600.
 * @throws what the system call throws; the file then has its earlier bytes, or these
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  disk: JournalFileSystem = nodeFileSystem,
): Promise<void> {
  const folder = dirname(path);
  const draft = `${path}.new`;
  if ((await disk.list(folder)).some((name) => join(folder, name) === draft)) {
    // Otherwise a power cut could keep the rename below and put what an earlier process left there.
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
