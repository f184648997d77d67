/** @module MongodbAdmin: unscoped access for operators' commands (Scope hierarchy 4). */
import type { Db, Document, Filter } from "mongodb";

import { unscoped } from "../admin.ts";
import type { AdminFilter, MemoryAdmin } from "../admin.ts";
import {
  checkedChange,
  checkFilter,
  checkLegacyScope,
  checkScopedKind,
} from "../memory/record-rules.ts";
import { ofTenant, scopedDocument, scopedRecord } from "./memory-document.ts";
import { collectionOf } from "./mongodb-memory.ts";
import { coded } from "./store-error.ts";

function filterOf(filter: AdminFilter): Filter<Document> {
  if (filter === unscoped) return {};
  checkFilter(filter);
  return ofTenant(filter);
}

/** The administrative side. */
export function mongodbAdmin(database: Db, clock: () => string): MemoryAdmin {
  return {
    async *rows(filter, kind) {
      checkScopedKind(kind);
      const order = { created_key: -1, id: 1, user_id: 1 } as const;
      const rows = collectionOf(database, kind).find(filterOf(filter)).sort(order);
      for await (const row of rows) yield scopedRecord(row, kind);
    },
    async count(filter, kind) {
      checkScopedKind(kind);
      return coded(() => collectionOf(database, kind).countDocuments(filterOf(filter)));
    },
    async deleteTenant(filter, kind) {
      checkFilter(filter);
      checkScopedKind(kind);
      const collection = collectionOf(database, kind);
      return (await coded(() => collection.deleteMany(ofTenant(filter)))).deletedCount;
    },
    async rewrite(filter, kind, changes) {
      checkFilter(filter);
      checkScopedKind(kind);
      const collection = collectionOf(database, kind);
      let changed = 0;
      for (const { id, version, record } of changes) {
        // A legacy document without a version reads as the first.
        const versions = { version: { $in: version === 1 ? [1, null] : [version] } };
        const where = { $and: [ofTenant(filter), { id: { $eq: id } }, versions] };
        if (record === undefined) {
          changed += (await coded(() => collection.deleteOne(where))).deletedCount;
        } else {
          const $set = scopedDocument(checkedChange(filter, kind, id, record));
          changed += (await coded(() => collection.updateOne(where, { $set }))).modifiedCount;
        }
      }
      return changed;
    },
    async migrateLegacyEntities(options) {
      checkLegacyScope(options);
      const entities = collectionOf(database, "entity");
      const legacy = {
        $and: [ofTenant({ tenant: null }), { memory_id: { $eq: options.memoryId } }],
      };
      const owned = { $and: [ofTenant({ tenant: options.userId })] };
      // A row that the user has already is the newer truth, and the legacy one stays.
      const has = new Set(await coded(() => entities.distinct("id", owned)));
      const ids = (await coded(() => entities.distinct("id", legacy))).filter((id) => !has.has(id));
      const where = { $and: [legacy, { id: { $in: ids } }] };
      const change = {
        $set: { user_id: options.userId, updated_at: clock() },
        $inc: { version: 1 },
      };
      const { modifiedCount } = await coded(() => entities.updateMany(where, change));
      return modifiedCount;
    },
  };
}
