/**
 * @module NewDocuments: documents whose keys are derived from their content, so that none is
 * written twice.
 */
import type { Collection, Document } from "mongodb";

import { duplicateKey, numberOf } from "./store-error.ts";

/** Inserts missing documents: an existing key means an equal document. */
export async function insertNew(
  collection: Collection<Document>,
  documents: readonly Document[],
): Promise<void> {
  for (let at = 0; at < documents.length; at += documentsPerInsert) {
    await insertSome(collection, documents.slice(at, at + documentsPerInsert));
  }
}

const documentsPerInsert = 1_000;

async function insertSome(
  collection: Collection<Document>,
  documents: readonly Document[],
): Promise<void> {
  try {
    await collection.insertMany([...documents], { ordered: false });
  } catch (error) {
    const failures = (error as { readonly writeErrors?: readonly { readonly code?: number }[] })
      .writeErrors;
    const others = (failures ?? [{ code: numberOf(error) ?? -1 }]).filter(
      ({ code }) => code !== duplicateKey,
    );
    if (others.length > 0) throw error;
  }
}
