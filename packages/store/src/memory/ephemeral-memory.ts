/**
 * @module Ephemeral memory: the readable reference of MemoryStore, in the memory of the process.
 * The contract kit compares every provider with it.
 */
import { CodedError, isoNow } from "@turnproof/semconv";
import type { ScopedKind, SharedKind } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import type { AdminFilter, MemoryAdmin } from "../memory-admin.ts";
import type {
  MemoryFilter,
  MemoryPage,
  MemoryRecord,
  MemoryStore,
  SharedRecord,
  SharedStore,
} from "../memory-store.ts";
import {
  checkedChange,
  checkFilter,
  checkLegacyScope,
  checkScopedKind,
  checkSharedKind,
  insideFilter,
  isLive,
  recordOf,
  sharedRecordOf,
} from "./record-rules.ts";
import { pageOf } from "./row-page.ts";
import { compareIds, compareRecords, nearestOf, sharingOf, wordsOf } from "./similarity.ts";

/** The reference store together with its administrative side. */
export type EphemeralMemory = MemoryStore & { readonly admin: MemoryAdmin };

/** Whether the store is open, and its closing. */
function lifeOf(): Pick<MemoryStore, "check" | "close" | typeof Symbol.asyncDispose> & {
  /** Throws `store_closed` once closed. */
  readonly open: () => void;
} {
  let closed = false;
  const close = async (): Promise<void> => {
    closed = true;
  };
  return {
    open() {
      if (closed) throw new CodedError("store_closed");
    },
    check: async () =>
      closed ? { ok: false, code: "store_closed", elapsedMs: 0 } : { ok: true, elapsedMs: 0 },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A memory store that ends with the process. @param clock ISO 8601 UTC now */
export function ephemeralMemory(clock: () => string = isoNow): EphemeralMemory {
  const tables = new Map<ScopedKind, Map<string, MemoryRecord>>();
  const keyOf = (tenant: string | null, id: string): string => JSON.stringify([tenant, id]);
  const { open, ...life } = lifeOf();
  const table = (kind: ScopedKind): Map<string, MemoryRecord> => {
    open();
    checkScopedKind(kind);
    const found = tables.get(kind) ?? new Map<string, MemoryRecord>();
    tables.set(kind, found);
    return found;
  };
  const inside = (filter: MemoryFilter, kind: ScopedKind, now = clock()): MemoryRecord[] => {
    checkFilter(filter);
    return [...table(kind).values()].filter((row) => insideFilter(row, filter) && isLive(row, now));
  };
  const one = (filter: MemoryFilter, kind: ScopedKind, id: string): MemoryRecord | undefined =>
    inside(filter, kind).find((row) => row.id === id);
  const store: EphemeralMemory = {
    name: "ephemeral",
    put: async (filter, kind, draft) => {
      checkFilter(filter);
      const rows = table(kind);
      const key = keyOf(filter.tenant, draft.id);
      const version = (rows.get(key)?.version ?? 0) + 1;
      const record = recordOf(filter, kind, draft, { now: clock(), version });
      rows.set(key, record);
      return structuredClone(record);
    },
    get: async (filter, kind, id) => structuredClone(one(filter, kind, id)),
    list: async (filter, kind, options): Promise<MemoryPage> =>
      pageOf(inside(filter, kind, options.now), options),
    count: async (filter, kind) => inside(filter, kind).length,
    update: async (filter, kind, id, version, change) => {
      const row = one(filter, kind, id);
      if (row === undefined || row.version !== version) throw new CodedError("store_conflict");
      const written = { now: clock(), version: version + 1 };
      const changed = recordOf(filter, kind, { ...row, ...change }, written);
      table(kind).set(keyOf(filter.tenant, id), changed);
      return structuredClone(changed);
    },
    delete: async (filter, kind, id) => {
      const row = one(filter, kind, id);
      return row !== undefined && table(kind).delete(keyOf(filter.tenant, id));
    },
    vectorSearch: async (filter, kind, query) => {
      const hits = structuredClone(nearestOf(inside(filter, kind, query.now), query));
      return { hits, method: "exact", bounded: false, diagnostics: [] };
    },
    textSearch: async (filter, kind, { text, limit, now }) => {
      const words = wordsOf(text);
      const hits = structuredClone(sharingOf(inside(filter, kind, now), words, limit));
      return { hits, method: "exact", bounded: false, diagnostics: [] };
    },
    shared: ephemeralShared(clock, open),
    admin: ephemeralAdmin(table, clock),
    ...life,
  };
  return store;
}

function ephemeralShared(clock: () => string, open: () => void): SharedStore {
  const tables = new Map<SharedKind, Map<string, SharedRecord>>();
  const table = (kind: SharedKind): Map<string, SharedRecord> => {
    open();
    checkSharedKind(kind);
    const found = tables.get(kind) ?? new Map<string, SharedRecord>();
    tables.set(kind, found);
    return found;
  };
  return {
    put: async (kind, draft) => {
      const version = (table(kind).get(draft.id)?.version ?? 0) + 1;
      const record = sharedRecordOf(kind, draft, { now: clock(), version });
      table(kind).set(draft.id, record);
      return structuredClone(record);
    },
    get: async (kind, id) => structuredClone(table(kind).get(id)),
    list: async (kind, options) => pageOf([...table(kind).values()], options),
    update: async (kind, id, version, data) => {
      const row = table(kind).get(id);
      if (row?.version !== version) throw new CodedError("store_conflict");
      const changed = sharedRecordOf(
        kind,
        { ...row, data },
        { now: clock(), version: version + 1 },
      );
      table(kind).set(id, changed);
      return structuredClone(changed);
    },
    delete: async (kind, id) => table(kind).delete(id),
  };
}

function ephemeralAdmin(
  table: (kind: ScopedKind) => Map<string, MemoryRecord>,
  clock: () => string,
): MemoryAdmin {
  const wanted = (row: MemoryRecord, filter: AdminFilter): boolean =>
    filter === unscoped || row.user_id === filter.tenant;
  return {
    rows: async function* rows(filter, kind) {
      const rowsOfAll = [...table(kind).values()];
      // Two tenants may have the same id: their rows are sorted by tenant, the anonymous first.
      rowsOfAll.sort(
        (a, b) => compareRecords(a, b) || compareIds(a.user_id ?? "", b.user_id ?? ""),
      );
      for (const row of rowsOfAll) {
        if (wanted(row, filter)) yield structuredClone(row);
      }
    },
    count: async (filter, kind) =>
      [...table(kind).values()].filter((row) => wanted(row, filter)).length,
    purge: async () => [],
    deleteTenant: async (filter, kind) => {
      checkFilter(filter);
      const rows = [...table(kind)].filter(([, row]) => row.user_id === filter.tenant);
      for (const [key] of rows) table(kind).delete(key);
      return rows.length;
    },
    rewrite: async (filter, kind, changes) => {
      checkFilter(filter);
      let changed = 0;
      for (const { id, version, record } of changes) {
        const key = JSON.stringify([filter.tenant, id]);
        if (table(kind).get(key)?.version !== version) continue;
        if (record === undefined) table(kind).delete(key);
        else table(kind).set(key, checkedChange(filter, kind, id, record));
        changed += 1;
      }
      return changed;
    },
    migrateLegacyEntities: async ({ memoryId, userId }) => {
      checkLegacyScope({ memoryId, userId });
      const entities = table("entity");
      const legacy = [...entities].filter(
        ([, row]) => row.user_id === null && row.memory_id === memoryId,
      );
      for (const [key, row] of legacy) {
        const own = JSON.stringify([userId, row.id]);
        // A row that the user has already is newer and is kept.
        if (entities.has(own)) continue;
        entities.delete(key);
        entities.set(own, {
          ...row,
          user_id: userId,
          updated_at: clock(),
          version: row.version + 1,
        });
      }
      return legacy.filter(([key]) => !entities.has(key)).length;
    },
  };
}
