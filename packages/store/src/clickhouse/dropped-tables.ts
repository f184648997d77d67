/**
 * @module DroppedTables: files of dropped tables that remain because the process ended too early.
 * The engine keeps such files for eight minutes of the next process, so that a table can be
 * restored; ours are dropped to delete a user's bytes.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const metadataName = /\.(([0-9a-f]{3})[0-9a-f]{5}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\.sql$/;

/** Deletes the remains of dropped tables, in the directory of an engine that is not open. */
export async function clearDropped(directory: string): Promise<void> {
  const metadata = join(directory, "metadata_dropped");
  // No such folder: nothing was dropped.
  for (const name of await readdir(metadata).catch(() => [])) {
    const [, uuid, folder] = metadataName.exec(name) ?? [];
    if (uuid === undefined || folder === undefined) continue;
    // The name is deleted last, so that a killed run is repeated.
    await rm(join(directory, "store", folder, uuid), { recursive: true, force: true });
    await rm(join(metadata, name), { force: true });
  }
}
