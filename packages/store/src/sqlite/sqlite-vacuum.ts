/** @module SqliteVacuum: removes deleted data from a database file, and frees its space. */
import type { SqliteDatabase } from "./sqlite-database.ts";
import { alone } from "./sqlite-database.ts";

/** The file is rewritten when this share of it is free, and at least that many pages. */
const freeShareMax = 0.25;
const freePagesMin = 1_024;

/** Rewrites the file when much of it is free; readers and writers of other processes wait. */
export async function giveBackRoom(database: SqliteDatabase): Promise<void> {
  const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
  const free = Number(database.prepare("PRAGMA freelist_count").get()?.["freelist_count"]);
  if (free > Math.max(freePagesMin, pages * freeShareMax)) await purgeDeleted(database);
}

/**
 * Rewrites the file without any byte of deleted data, and empties its log. False where a read of
 * another process keeps the log open.
 */
export function purgeDeleted(database: SqliteDatabase): Promise<boolean> {
  return alone(database, async () => {
    database.exec("VACUUM");
    const [row] = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    return row?.["busy"] === 0;
  });
}
