/**
 * @module EvidenceSnapshot: the evidence file of a directory as of one moment, while other
 * processes use it. Readers and writers go on meanwhile.
 */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { openSqliteReadOnly } from "../sqlite/sqlite-database.ts";
import { codedSqlite } from "../sqlite/sqlite-error.ts";

const name = "evidence.sqlite";

/**
 * Writes the file into a folder that has none; without evidence nothing is written.
 *
 * @throws CodedError driver_missing, store_corrupt, store_busy, disk_full
 */
export async function snapshotEvidence(directory: string, to: string): Promise<void> {
  const path = join(directory, name);
  // Without a file there is no evidence.
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size === 0) return;
  // No log: no process has the file open.
  const log = await stat(`${path}-wal`).catch(() => undefined);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await codedSqlite(() => {
    const database = openSqliteReadOnly(path, log === undefined);
    try {
      database.prepare("VACUUM INTO ?").run(join(to, name));
    } finally {
      database.close();
    }
  });
}
