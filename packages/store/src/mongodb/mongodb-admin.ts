/** @module MongodbAdmin: unscoped access for operator commands (Scope hierarchy 4). */
import { memoryCollections, scopedKinds } from "@turnproof/semconv";
import type { Collection, Db, Document, Filter } from "mongodb";

import { unscoped } from "../memory-admin.ts";
import type { AdminFilter, LegacyScope, MemoryAdmin } from "../memory-admin.ts";
import {
  checkedChange,
  checkFilter,
  checkLegacyScope,
  checkScopedKind,
} from "../memory/record-rules.ts";
import { compactAll } from "./erasure-rows.ts";
import { ofAnybody, ofTenant, scopedDocument, scopedRecord } from "./memory-document.ts";
import { collectionOf } from "./mongodb-memory.ts";
import { coded, duplicateKey, numberOf, storeError } from "./store-error.ts";

function filterOf(filter: AdminFilter): Filter<Document> {
  if (filter === unscoped) return ofAnybody;
  checkFilter(filter);
  return ofTenant(filter);
}

/** Administrative access. */
export function mongodbAdmin(database: Db, clock: () => string): MemoryAdmin {
  return {
    purge: () =>
      compactAll(
        database,
        scopedKinds.map((kind) => memoryCollections[kind]),
      ),
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
        // A legacy document without a version counts as version 1.
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
    migrateLegacyEntities: (options) => migrateLegacy(database, clock(), options),
  };
}

/** Attempts of a migration when the user meanwhile wrote a row of the same id. */
const looksMax = 5;

/**
 * One update moves the rows. A row that the user has already is newer, and the legacy one is kept:
 * these few are excluded in the update, and the unique index covers any that came since.
 */
async function migrateLegacy(database: Db, now: string, options: LegacyScope): Promise<number> {
  checkLegacyScope(options);
  const { memoryId, userId } = options;
  const entities = collectionOf(database, "entity");
  const legacy = { $and: [ofTenant({ tenant: null }), { memory_id: { $eq: memoryId } }] };
  const change = { $set: { user_id: userId, updated_at: now }, $inc: { version: 1 } };
  const before = await coded(() => entities.countDocuments(legacy));
  for (let look = 1; ; look += 1) {
    const held = await coded(() => heldIds(entities, legacy, userId));
    const where = held.length === 0 ? legacy : { $and: [legacy, { id: { $nin: [...held] } }] };
    try {
      const { modifiedCount } = await entities.updateMany(where, change);
      // An update that ended with a duplicate has moved rows without reporting how many.
      return look === 1
        ? modifiedCount
        : before - (await coded(() => entities.countDocuments(legacy)));
    } catch (error) {
      if (numberOf(error) !== duplicateKey || look >= looksMax) throw storeError(error);
    }
  }
}

/** Ids of the legacy rows that the user has as well, in batches. */
async function heldIds(
  entities: Collection<Document>,
  legacy: Filter<Document>,
  userId: string,
): Promise<readonly string[]> {
  const held: string[] = [];
  let batch: string[] = [];
  const settle = async (): Promise<void> => {
    if (batch.length === 0) return;
    const where = { $and: [ofTenant({ tenant: userId }), { id: { $in: batch } }] };
    for await (const row of entities.find(where, { projection: { id: 1 } })) {
      held.push(String(row["id"]));
    }
    batch = [];
  };
  for await (const row of entities.find(legacy, { projection: { id: 1 } })) {
    batch.push(String(row["id"]));
    if (batch.length >= idsPerFind) await settle();
  }
  await settle();
  return held;
}

/** Ids of one statement: a filter has a maximum size. */
const idsPerFind = 1_000;
