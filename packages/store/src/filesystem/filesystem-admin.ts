/** @module FilesystemAdmin: unscoped access to the memory, for operator commands only. */
import type { ScopedKind, TenantFilter } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import type { AdminFilter, MemoryAdmin, RowChange } from "../memory-admin.ts";
import type { MemoryRecord } from "../memory-store.ts";
import {
  checkedChange,
  checkFilter,
  checkLegacyScope,
  checkScopedKind,
} from "../memory/record-rules.ts";
import { compareIds, compareRecords } from "../memory/similarity.ts";
import type { Edit, MemoryRows } from "./memory-rows.ts";
import type { Rows } from "./row-folder.ts";
import { documentName } from "./safe-name.ts";

type Line = Pick<MemoryRecord, "id" | "user_id" | "created_at">;

/** Administration over the rows of a disk. */
export function filesystemAdmin(
  rows: MemoryRows,
  clock: () => string,
  open: () => void,
): MemoryAdmin {
  const batches = async function* batches(
    filter: AdminFilter,
    kind: ScopedKind,
  ): AsyncGenerator<readonly MemoryRecord[]> {
    open();
    checkScopedKind(kind);
    if (filter === unscoped) {
      yield* rows.all(kind);
      return;
    }
    checkFilter(filter);
    const all = await rows.of(kind, filter.tenant);
    yield all.filter((row) => row.user_id === filter.tenant);
  };
  return {
    async *rows(filter, kind) {
      // Only sort keys are kept in memory; each row is read again in its turn.
      const lines: Line[] = [];
      for await (const batch of batches(filter, kind)) {
        for (const { id, user_id, created_at } of batch) lines.push({ id, user_id, created_at });
      }
      lines.sort((a, b) => compareRecords(a, b) || compareIds(a.user_id ?? "", b.user_id ?? ""));
      for (const line of lines) {
        const row = await rows.one(kind, line.user_id, line.id);
        if (row?.user_id === line.user_id) yield structuredClone(row);
      }
    },
    async count(filter, kind) {
      let count = 0;
      for await (const batch of batches(filter, kind)) count += batch.length;
      return count;
    },
    // A row is a file, or a part of one that is rewritten: no bytes remain.
    purge: async () => [],
    async deleteTenant(filter, kind) {
      open();
      checkFilter(filter);
      checkScopedKind(kind);
      const deleted = await rows.edit(kind, filter.tenant, (held) => {
        const remove = [...held]
          .filter(([, { row }]) => row.user_id === filter.tenant)
          .map(([name]) => name);
        return remove.length === 0 ? { answer: 0 } : { change: { remove }, answer: remove.length };
      });
      await rows.prune(kind, filter.tenant);
      return deleted;
    },
    async rewrite(filter, kind, changes) {
      open();
      checkFilter(filter);
      checkScopedKind(kind);
      return rows.edit(kind, filter.tenant, (held) => editOf(filter, kind, changes, held));
    },
    async migrateLegacyEntities(scope) {
      open();
      checkLegacyScope(scope);
      return rows.migrate({ ...scope, at: clock() });
    },
  };
}

/** The changes whose rows still have the given version. */
function editOf(
  filter: TenantFilter,
  kind: ScopedKind,
  changes: readonly RowChange[],
  held: Rows<MemoryRecord>,
): Edit<number> {
  const put: MemoryRecord[] = [];
  const remove: string[] = [];
  for (const { id, version, record } of changes) {
    const row = held.get(documentName(id))?.row;
    if (row?.id !== id || row.user_id !== filter.tenant || row.version !== version) continue;
    if (record === undefined) remove.push(documentName(id));
    else put.push(checkedChange(filter, kind, id, record));
  }
  return { change: { put, remove }, answer: put.length + remove.length };
}
