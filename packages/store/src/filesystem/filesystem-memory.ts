/**
 * @module FilesystemMemory: the memory port over JSON documents. Every read filters strictly, row
 * by row, whatever folder a row came from (requirements: Provider scoping).
 */
import { CodedError } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import type { CheckResult } from "../evidence-store.ts";
import type { MemoryFilter, MemoryRecord, MemoryStore, SearchResult } from "../memory-store.ts";
import { checkFilter, checkScopedKind, insideFilter, isLive } from "../memory/record-rules.ts";
import { recordOf } from "../memory/record-rules.ts";
import { pageOf } from "../memory/row-page.ts";
import { nearestOf, sharingOf, wordsOf } from "../memory/similarity.ts";
import type { AdministeredMemory } from "../provider.ts";
import { filesystemAdmin } from "./filesystem-admin.ts";
import { filesystemShared } from "./filesystem-shared.ts";
import type { MemoryRows } from "./memory-rows.ts";
import { documentName } from "./safe-name.ts";
import { newLife } from "./store-life.ts";
import type { WriteLock } from "./write-lock.ts";

/** Dependencies of the port. */
export interface FilesystemMemoryParts {
  readonly rows: MemoryRows;
  readonly lock: WriteLock;
  /** ISO 8601 UTC now. */
  readonly clock: () => string;
  /** Whether the directory is accessible. */
  readonly check: () => Promise<CheckResult>;
}

/** The memory port over these parts. */
export function filesystemMemory(parts: FilesystemMemoryParts): AdministeredMemory {
  const { rows, lock, clock } = parts;
  const life = newLife();
  const open = (): void => life.open();
  const close = async (): Promise<void> => {
    life.end();
    await lock.idle();
  };
  return {
    name: "filesystem",
    ...reads(rows, clock, open),
    ...writes(rows, clock, open),
    shared: filesystemShared(rows.folders, lock, clock, open),
    admin: filesystemAdmin(rows, clock, open),
    check: async () =>
      life.ended() ? { ok: false, code: "store_closed", elapsedMs: 0 } : parts.check(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

type FileReads = Pick<MemoryStore, "get" | "list" | "count" | "vectorSearch" | "textSearch">;

function reads(rows: MemoryRows, clock: () => string, open: () => void): FileReads {
  const inside = async (
    filter: MemoryFilter,
    kind: ScopedKind,
    now = clock(),
  ): Promise<MemoryRecord[]> => {
    open();
    checkFilter(filter);
    checkScopedKind(kind);
    const all = await rows.of(kind, filter.tenant);
    return all.filter((row) => insideFilter(row, filter) && isLive(row, now));
  };
  const found = (hits: SearchResult["hits"]): SearchResult => ({
    hits: structuredClone(hits),
    method: "exact",
    bounded: false,
    diagnostics: [],
  });
  return {
    async get(filter, kind, id) {
      open();
      checkFilter(filter);
      checkScopedKind(kind);
      const row = await rows.one(kind, filter.tenant, id);
      const reached = row !== undefined && insideFilter(row, filter) && isLive(row, clock());
      return reached ? structuredClone(row) : undefined;
    },
    list: async (filter, kind, options) => pageOf(await inside(filter, kind, options.now), options),
    count: async (filter, kind) => (await inside(filter, kind)).length,
    vectorSearch: async (filter, kind, { now, ...query }) =>
      found(nearestOf(await inside(filter, kind, now), query)),
    async textSearch(filter, kind, { text, limit, now }) {
      const words = wordsOf(text);
      return found(sharingOf(await inside(filter, kind, now), words, limit));
    },
  };
}

function writes(
  rows: MemoryRows,
  clock: () => string,
  open: () => void,
): Pick<MemoryStore, "put" | "update" | "delete"> {
  /** The row of this id if the filter matches it. */
  const reached = (
    row: MemoryRecord | undefined,
    filter: MemoryFilter,
    id: string,
  ): MemoryRecord | undefined =>
    row?.id === id && insideFilter(row, filter) && isLive(row, clock()) ? row : undefined;
  return {
    async put(filter, kind, draft) {
      open();
      checkFilter(filter);
      checkScopedKind(kind);
      // Copied before anything is awaited: the caller may change its objects meanwhile.
      const first = recordOf(filter, kind, draft, { now: clock(), version: 1 });
      return rows.edit(kind, filter.tenant, (held) => {
        const before = held.get(documentName(first.id))?.row;
        const record = { ...first, updated_at: clock(), version: (before?.version ?? 0) + 1 };
        return { change: { put: [record] }, answer: structuredClone(record) };
      });
    },
    async update(filter, kind, id, version, change) {
      open();
      checkFilter(filter);
      checkScopedKind(kind);
      const own = structuredClone(change);
      return rows.edit(kind, filter.tenant, (held) => {
        const row = reached(held.get(documentName(id))?.row, filter, id);
        if (row === undefined || row.version !== version) throw new CodedError("store_conflict");
        const written = { now: clock(), version: version + 1 };
        const record = recordOf(filter, kind, { ...row, ...own, id }, written);
        return { change: { put: [record] }, answer: structuredClone(record) };
      });
    },
    async delete(filter, kind, id) {
      open();
      checkFilter(filter);
      checkScopedKind(kind);
      return rows.edit(kind, filter.tenant, (held) => {
        const name = documentName(id);
        const row = reached(held.get(name)?.row, filter, id);
        return row === undefined ? { answer: false } : { change: { remove: [name] }, answer: true };
      });
    },
  };
}
