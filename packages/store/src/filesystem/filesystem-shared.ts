/** @module FilesystemShared: shared kinds over JSON documents; they have no tenant, by design. */
import { CodedError } from "@turnproof/semconv";
import type { SharedKind } from "@turnproof/semconv";

import type { SharedRecord, SharedStore } from "../memory-store.ts";
import { checkSharedKind, sharedRecordOf } from "../memory/record-rules.ts";
import { pageOf } from "../memory/row-page.ts";
import { sharedName } from "./document.ts";
import type { FolderChange, RowFolders, Rows } from "./row-folder.ts";
import { documentName } from "./safe-name.ts";
import type { WriteLock } from "./write-lock.ts";

/** The shared half of the memory port. */
export function filesystemShared(
  folders: RowFolders,
  lock: WriteLock,
  clock: () => string,
  open: () => void,
): SharedStore {
  const read = (kind: SharedKind): Promise<Rows<SharedRecord>> => {
    open();
    checkSharedKind(kind);
    return folders.read<SharedRecord>(kind, sharedName);
  };
  const edit = <T>(
    kind: SharedKind,
    decide: (rows: Rows<SharedRecord>) => { change?: FolderChange<SharedRecord>; answer: T },
  ): Promise<T> =>
    lock.run(async (held) => {
      const { change, answer } = decide(await read(kind));
      if (change !== undefined) await folders.write(kind, sharedName, change, held);
      return answer;
    });
  const named = (rows: Rows<SharedRecord>, id: string): SharedRecord | undefined => {
    const row = rows.get(documentName(id))?.row;
    return row?.id === id ? row : undefined;
  };
  return {
    async put(kind, draft) {
      open();
      const first = sharedRecordOf(kind, draft, { now: clock(), version: 1 });
      return edit(kind, (rows) => {
        const version = (named(rows, first.id)?.version ?? 0) + 1;
        const record = { ...first, updated_at: clock(), version };
        return { change: { put: [record] }, answer: structuredClone(record) };
      });
    },
    get: async (kind, id) => structuredClone(named(await read(kind), id)),
    list: async (kind, options) =>
      pageOf(
        [...(await read(kind)).values()].map(({ row }) => row),
        options,
      ),
    async update(kind, id, version, data) {
      open();
      checkSharedKind(kind);
      const own = structuredClone(data);
      return edit(kind, (rows) => {
        const row = named(rows, id);
        if (row?.version !== version) throw new CodedError("store_conflict");
        const written = { now: clock(), version: version + 1 };
        const record = sharedRecordOf(kind, { ...row, data: own }, written);
        return { change: { put: [record] }, answer: structuredClone(record) };
      });
    },
    async delete(kind, id) {
      open();
      checkSharedKind(kind);
      return edit(kind, (rows) =>
        named(rows, id) === undefined
          ? { answer: false }
          : { change: { remove: [documentName(id)] }, answer: true },
      );
    },
  };
}
