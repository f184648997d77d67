/** @module MongodbShared: shared kinds, which have no tenant by design (Scope hierarchy 5). */
import { CodedError } from "@turnproof/semconv";
import type { SharedKind } from "@turnproof/semconv";
import type { Collection, Db, Document } from "mongodb";

import { checkSharedKind, sharedRecordOf } from "../memory/record-rules.ts";
import { firstPageOf } from "../memory/row-page.ts";
import type { SharedRecord, SharedStore } from "../memory-store.ts";
import { listOrder, sharedDocument, sharedRecord } from "./memory-document.ts";
import { afterDocument, byId, collectionOf, upsert } from "./mongodb-memory.ts";
import { coded } from "./store-error.ts";

/** Shared kinds over their collections. */
export function mongodbShared(database: Db, clock: () => string): SharedStore {
  const open = (kind: SharedKind): Collection<Document> => {
    checkSharedKind(kind);
    return collectionOf(database, kind);
  };
  const get = async (kind: SharedKind, id: string): Promise<SharedRecord | undefined> => {
    const row = await coded(() => open(kind).findOne(byId(id)));
    return row === null ? undefined : sharedRecord(row, kind);
  };
  return {
    async put(kind, draft) {
      const collection = open(kind);
      const record = sharedRecordOf(kind, draft, { now: clock(), version: 1 });
      const version = await upsert(collection, byId(record.id), sharedDocument(record));
      return { ...record, version };
    },
    get,
    async list(kind, options) {
      const collection = open(kind);
      const where = options.after === undefined ? {} : afterDocument(options.after);
      const limit = Math.max(Math.trunc(options.limit), 0);
      const rows = await coded(() =>
        collection
          .find(where)
          .sort(listOrder)
          .limit(limit + 1)
          .toArray(),
      );
      return firstPageOf(
        rows.map((row) => sharedRecord(row, kind)),
        limit,
      );
    },
    async update(kind, id, version, data) {
      const row = await get(kind, id);
      if (row?.version !== version) throw new CodedError("store_conflict");
      const written = { now: clock(), version: version + 1 };
      const record = sharedRecordOf(kind, { ...row, data }, written);
      const where = { $and: [byId(id), { version: { $eq: version } }] };
      const { matchedCount } = await coded(() =>
        open(kind).updateOne(where, { $set: sharedDocument(record) }),
      );
      if (matchedCount !== 1) throw new CodedError("store_conflict");
      return record;
    },
    async delete(kind, id) {
      return (await coded(() => open(kind).deleteOne(byId(id)))).deletedCount > 0;
    },
  };
}
