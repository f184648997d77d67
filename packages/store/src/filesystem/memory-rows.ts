/**
 * @module MemoryRows: reads and writes complete folders, including what earlier versions and
 * crashes left: rows of the old layout, and an unfinished migration.
 */
import type { ScopedKind } from "@turnproof/semconv";
import { memoryCollections, scopedKinds } from "@turnproof/semconv";

import type { MemoryRecord } from "../memory-store.ts";
import type { Disk } from "./disk.ts";
import { folderOf } from "./document.ts";
import { finishMigration, intentPlace, migrateLegacy } from "../legacy/memory-without-tenants.ts";
import { legacyRows } from "../legacy/memory-filesystem.ts";
import { rowFolders } from "./row-folder.ts";
import type { FolderChange, RowFolders, Rows } from "./row-folder.ts";
import { documentName, isTenantName, tenantName } from "./safe-name.ts";
import type { Held, WriteLock } from "./write-lock.ts";
import type { LegacyScope } from "../memory-admin.ts";

/** Decision of a write about the rows it found. */
export interface Edit<T> {
  readonly change?: FolderChange<MemoryRecord>;
  readonly answer: T;
}

/** Rows of scoped kinds. */
export interface MemoryRows {
  /** Rows in the folder of a tenant. The caller checks every row against its filter. */
  of(kind: ScopedKind, tenant: string | null): Promise<readonly MemoryRecord[]>;
  /** The row of an id in the folder of a tenant, to be checked the same way. */
  one(kind: ScopedKind, tenant: string | null, id: string): Promise<MemoryRecord | undefined>;
  /** Folders that hold rows of a kind, with their rows; for administration. */
  all(kind: ScopedKind): AsyncIterable<readonly MemoryRecord[]>;
  /** Changes a tenant's rows under the lock. */
  edit<T>(
    kind: ScopedKind,
    tenant: string | null,
    decide: (rows: Rows<MemoryRecord>) => Edit<T>,
  ): Promise<T>;
  /** True when files of an earlier version cannot be a row of any tenant. */
  hasRefused(): Promise<boolean>;
  /** Removes the folder of a tenant that has no rows left. */
  prune(kind: ScopedKind, tenant: string | null): Promise<void>;
  migrate(scope: LegacyScope & { readonly at: string }): Promise<number>;
  readonly folders: RowFolders;
}

/** The rows on a disk. */
export function memoryRows(disk: Disk, lock: WriteLock): MemoryRows {
  const folders = rowFolders(disk);
  const legacy = legacyRows(disk, folders);
  const prepare = async (kind: ScopedKind, held: Held): Promise<void> => {
    await finishMigration(disk, folders, held);
    await legacy.adopt(kind, held);
  };
  /** A reader that meets a migration waits for its end, or completes it. */
  const settled = async (kind: ScopedKind): Promise<void> => {
    if (kind !== "entity" || (await disk.stat(intentPlace)) === undefined) return;
    await lock.run((held) => finishMigration(disk, folders, held));
  };
  const inFolder = async (kind: ScopedKind, folder: string): Promise<readonly MemoryRecord[]> => {
    const rows = await folders.read<MemoryRecord>(kind, folder);
    const held = [...rows.values()].map(({ row }) => row);
    const old = (await legacy.read(kind)).filter(
      (row) => folderOf(row) === folder && !rows.has(documentName(row.id)),
    );
    return old.length === 0 ? held : [...held, ...old];
  };
  return {
    folders,
    async of(kind, tenant) {
      await settled(kind);
      return inFolder(kind, tenantName(tenant));
    },
    async one(kind, tenant, id) {
      await settled(kind);
      const folder = tenantName(tenant);
      const row = (await folders.read<MemoryRecord>(kind, folder)).get(documentName(id))?.row;
      if (row !== undefined) return row.id === id ? row : undefined;
      return (await legacy.read(kind)).find((old) => old.id === id && folderOf(old) === folder);
    },
    async *all(kind) {
      await settled(kind);
      const names = (await disk.list([memoryCollections[kind]])).filter(isTenantName);
      const old = (await legacy.read(kind)).map(folderOf);
      for (const folder of new Set([...names, ...old])) yield await inFolder(kind, folder);
    },
    edit: (kind, tenant, decide) =>
      lock.run(async (held) => {
        await prepare(kind, held);
        const folder = tenantName(tenant);
        const { change, answer } = decide(await folders.read<MemoryRecord>(kind, folder));
        if (change !== undefined) await folders.write(kind, folder, change, held);
        return answer;
      }),
    async hasRefused() {
      for (const kind of scopedKinds) if ((await legacy.refused(kind)) > 0) return true;
      return false;
    },
    prune: (kind, tenant) => lock.run((held) => folders.prune(kind, tenantName(tenant), held)),
    migrate: (scope) =>
      lock.run(async (held) => {
        await prepare("entity", held);
        return migrateLegacy(disk, folders, scope, held);
      }),
  };
}
