/**
 * @module DroppedTables: files of tables that were dropped by a process that ended before they were
 * gone. The engine keeps such files for eight minutes of the next process, so that a table can be
 * brought back; ours are dropped to take a user's bytes away.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const metadataName = /\.(([0-9a-f]{3})[0-9a-f]{5}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\.sql$/;

/** Deletes what is left of dropped tables, in the directory of an engine that is not open. */
export async function clearDropped(directory: string): Promise<void> {
  const metadata = join(directory, "metadata_dropped");
  for (const name of await readdir(metadata).catch(() => [])) {
    const [, uuid, folder] = metadataName.exec(name) ?? [];
    if (uuid === undefined || folder === undefined) continue;
    // The name goes last: what is killed in between is done again.
    await rm(join(directory, "store", folder, uuid), { recursive: true, force: true });
    await rm(join(metadata, name), { force: true });
  }
}
