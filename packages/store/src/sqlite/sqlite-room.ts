/** @module SqliteRoom: takes what was deleted out of a database file, and gives its room back. */
import type { SqliteDatabase } from "./sqlite-database.ts";
import { alone } from "./sqlite-database.ts";

/** The file is written anew when this share of it is free, and at least so many pages. */
const freeShareMax = 0.25;
const freePagesMin = 1_024;

/** Writes the file anew where much of it is free; readers and writers of other processes wait. */
export async function giveBackRoom(database: SqliteDatabase): Promise<void> {
  const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
  const free = Number(database.prepare("PRAGMA freelist_count").get()?.["freelist_count"]);
  if (free > Math.max(freePagesMin, pages * freeShareMax)) await purgeDeleted(database);
}

/**
 * Writes the file anew without any byte of what was deleted, and empties its log. False where a
 * read of another process holds the log open.
 */
export function purgeDeleted(database: SqliteDatabase): Promise<boolean> {
  return alone(database, async () => {
    database.exec("VACUUM");
    const [row] = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    return row?.["busy"] === 0;
  });
}
