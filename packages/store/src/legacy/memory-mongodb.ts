/**
 * @module LegacyAdoption: converts documents of an earlier version in the memory collections to
 * rows in place, when the provider is opened with permission to change them: each is replaced,
 * under its `_id`, by its row. A document that cannot be a row is kept and reported.
 */
import { memoryCollections, scopedKinds, sharedKinds } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { Collection, Db, Document, IndexSpecification } from "mongodb";

import { legacyId, legacyIdField, legacyRecord, legacyShared } from "./memory-record.ts";
import {
  legacyBase,
  legacyDocuments,
  ofNobody,
  scopedDocument,
  sharedDocument,
  typeOf,
} from "../mongodb/memory-document.ts";
import { coded, duplicateKey, numberOf } from "../mongodb/store-error.ts";

/** Converts all of them; concurrent processes produce the same rows. */
export async function adoptLegacy(database: Db): Promise<void> {
  await coded(async () => {
    for (const kind of scopedKinds) {
      await adoptIn(database.collection(memoryCollections[kind]), (document) => {
        const row = legacyRecord(kind, document, legacyBase(document));
        return row === undefined ? undefined : scopedDocument(row);
      });
    }
    for (const kind of sharedKinds) {
      await adoptIn(database.collection(memoryCollections[kind]), (document) => {
        const row = legacyShared(kind, document, legacyBase(document));
        return row === undefined ? undefined : sharedDocument(row);
      });
    }
  });
}

/**
 * Creates the unique index of a collection. Where ids of an earlier version are duplicated, its
 * documents first store theirs under another name, from which adoption reads them.
 */
export async function makeUniqueIndex(
  collection: Collection<Document>,
  key: IndexSpecification,
): Promise<void> {
  const make = (): Promise<string> =>
    collection.createIndex(key, {
      unique: true,
      partialFilterExpression: { id: { $exists: true } },
    });
  try {
    await make();
  } catch (error) {
    if (numberOf(error) !== duplicateKey) throw error;
    const withId = { $and: [legacyDocuments, { id: { $exists: true } }] };
    await collection.updateMany(withId, { $rename: { id: legacyIdField } });
    await make();
  }
}

/** Codes of documents that no tenant can read, or that are not converted yet. */
export async function legacyDiagnostics(database: Db): Promise<readonly Code[]> {
  const found = new Set<Code>();
  for (const kind of scopedKinds) {
    const collection = database.collection(memoryCollections[kind]);
    const nobodys = await collection.findOne(ofNobody, { projection: { _id: 1 } });
    if (nobodys !== null) found.add("memory_rows_unowned");
    const where = { $and: [legacyDocuments, { $nor: [ofNobody] }] };
    const waiting = await collection.findOne(where, { projection: { _id: 1 } });
    if (waiting !== null) found.add("memory_rows_legacy");
  }
  return [...found];
}

async function adoptIn(
  collection: Collection<Document>,
  rowOf: (document: Document) => Document | undefined,
): Promise<void> {
  for await (const document of collection.find(legacyDocuments)) {
    const row = rowOf(document);
    if (row === undefined) continue;
    if (await replace(collection, document, row)) continue;
    // Two ids with the same text, such as 7 and "7", or duplicates: the second gets its `_id` and
    // type.
    const id = `${typeOf(document["_id"])}:${legacyId(document["_id"]) ?? ""}`;
    await replace(collection, document, { ...row, id });
  }
}

/** Replaces the document with the row; false where its id is taken. */
async function replace(
  collection: Collection<Document>,
  document: Document,
  row: Document,
): Promise<boolean> {
  const where = { $and: [{ _id: { $eq: document["_id"] as never } }, legacyDocuments] };
  try {
    await collection.replaceOne(where, row);
    return true;
  } catch (error) {
    if (numberOf(error) !== duplicateKey) throw error;
    return false;
  }
}
