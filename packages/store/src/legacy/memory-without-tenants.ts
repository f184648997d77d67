/**
 * @module LegacyMigration: moves the anonymous entities of one memory to a user, under the write
 * lock (requirements: Provider scoping). The rows to move are recorded first, so that the
 * next process completes a migration after a crash, and no row is in two places or none.
 */
import { memoryCollections } from "@turnproof/semconv";

import type { MemoryRecord } from "../memory-store.ts";
import type { Disk, DiskPlace } from "../filesystem/disk.ts";
import { parseObject } from "../filesystem/document.ts";
import type { RowFolders } from "../filesystem/row-folder.ts";
import { anonymousName, tenantName } from "../filesystem/safe-name.ts";
import type { Held } from "../filesystem/write-lock.ts";
import type { LegacyScope } from "../memory-admin.ts";

const kind = "entity";

/** Exists from the decision on a migration until it is complete. */
export const intentPlace: DiskPlace = [memoryCollections[kind], "migration.intent"];

interface Intent {
  readonly user_id: LegacyScope["userId"];
  readonly at: string;
  /** Names of the documents that move. */
  readonly files: readonly string[];
}

/** Moves the rows and returns how many moved. @param at ISO 8601 UTC now */
export async function migrateLegacy(
  disk: Disk,
  folders: RowFolders,
  scope: LegacyScope & { readonly at: string },
  held: Held,
): Promise<number> {
  const legacy = await folders.read<MemoryRecord>(kind, anonymousName);
  const own = await folders.read<MemoryRecord>(kind, tenantName(scope.userId));
  // A row that the user has already is newer and is kept.
  const files = [...legacy]
    .filter(([file, { row }]) => row.memory_id === scope.memoryId && !own.has(file))
    .map(([file]) => file);
  if (files.length === 0) return 0;
  const intent: Intent = { user_id: scope.userId, at: scope.at, files };
  await held.confirm();
  await disk.replace(intentPlace, Buffer.from(JSON.stringify(intent)));
  await disk.sync(intentPlace.slice(0, -1));
  await finishMigration(disk, folders, held);
  return files.length;
}

/** Completes a recorded migration, if there is one; only under the lock. */
export async function finishMigration(disk: Disk, folders: RowFolders, held: Held): Promise<void> {
  const bytes = await disk.read(intentPlace);
  if (bytes === undefined) return;
  const intent = readIntent(bytes);
  if (intent !== undefined) {
    const target = tenantName(intent.user_id);
    const legacy = await folders.read<MemoryRecord>(kind, anonymousName);
    const own = await folders.read<MemoryRecord>(kind, target);
    const rows = intent.files.flatMap((file) => legacy.get(file)?.row ?? []);
    const remove = intent.files.filter((file) => legacy.has(file));
    const put = intent.files.flatMap((file) => {
      const row = legacy.get(file)?.row;
      if (row === undefined || own.has(file)) return [];
      const version = row.version + 1;
      return [{ ...row, user_id: intent.user_id, updated_at: intent.at, version }];
    });
    if (put.length > 0) await folders.write<MemoryRecord>(kind, target, { put }, held);
    if (rows.length > 0) await folders.write<MemoryRecord>(kind, anonymousName, { remove }, held);
  }
  await disk.remove(intentPlace);
  await disk.sync(intentPlace.slice(0, -1));
}

function readIntent(bytes: Uint8Array): Intent | undefined {
  const parsed = parseObject(bytes) as Partial<Intent> | undefined;
  if (parsed === undefined || typeof parsed.user_id !== "string") return undefined;
  if (typeof parsed.at !== "string" || !Array.isArray(parsed.files)) return undefined;
  return parsed as Intent;
}
