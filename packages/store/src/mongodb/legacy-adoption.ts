/**
 * @module LegacyAdoption: documents that an earlier version left in the collections of memory
 * become rows where they lie, when the provider is opened by whoever may change it: each is
 * replaced whole, under its `_id`, by the row that it says. What can be no row stays and is
 * reported.
 */
import { memoryCollections, scopedKinds, sharedKinds } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { Collection, Db, Document, IndexSpecification } from "mongodb";

import { legacyId, legacyIdField, legacyRecord, legacyShared } from "../memory/legacy-record.ts";
import {
  legacyBase,
  legacyDocuments,
  ofNobody,
  scopedDocument,
  sharedDocument,
  typeOf,
} from "./memory-document.ts";
import { coded, duplicateKey, numberOf } from "./store-error.ts";

/** Adopts what there is; what another process adopts at the same time is the same. */
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
 * Makes the unique index of a collection. Where ids of an earlier version stand twice, its
 * documents first put theirs under another name, from where adoption reads them.
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

/** Codes of documents that are shown to nobody, or not yet as they should be. */
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
    // Two ids read alike, such as 7 and "7", or stand twice: the second says its `_id` and type.
    const id = `${typeOf(document["_id"])}:${legacyId(document["_id"]) ?? ""}`;
    await replace(collection, document, { ...row, id });
  }
}

/** Puts the row in the document's place; false where its id is taken. */
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
