/** @module MongodbOperatorRows: what operators write, one document a row. */
import type { Collection, Db, Document, Filter } from "mongodb";

import { operatorRow } from "../operator-rows.ts";
import type { OperatorPlace, OperatorRow, OperatorTable } from "../operator-rows.ts";
import { coded, duplicateKey, numberOf } from "./store-error.ts";

/** The collection of the rows. */
export function operatorCollection(database: Db): Collection<Document> {
  return database.collection("operator_rows");
}

/** The rows of a database. */
export function mongodbOperatorRows(database: Db): OperatorTable {
  const collection = operatorCollection(database);
  return {
    list: (kind, tenants, place) =>
      coded(async () => {
        const where = { kind: { $eq: kind }, place: { $eq: place }, tenant: { $in: [...tenants] } };
        return (await collection.find(where).toArray()).map(rowOf);
      }),
    write: (row) =>
      coded(() => (row.version === 1 ? add(collection, row) : change(collection, row))),
    remove: (of) =>
      coded(async () => (await collection.deleteOne(standing(of, of.version))).deletedCount === 1),
    after: (id, limit) =>
      coded(async () => {
        const found = collection.find({ _id: { $gt: id as never } });
        return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(rowOf);
      }),
    forget: (ids) =>
      coded(async () => void (await collection.deleteMany({ _id: { $in: [...ids] as never[] } }))),
  };
}

async function add(collection: Collection<Document>, row: OperatorRow): Promise<boolean> {
  const { id, ...rest } = row;
  try {
    await collection.insertOne({ _id: id as never, ...rest });
    return true;
  } catch (error) {
    if (numberOf(error) !== duplicateKey) throw error;
    return false;
  }
}

async function change(collection: Collection<Document>, row: OperatorRow): Promise<boolean> {
  const { version, value } = row;
  const done = await collection.updateOne(standing(row, version - 1), { $set: { version, value } });
  return done.matchedCount === 1;
}

function standing(of: OperatorPlace, version: number): Filter<Document> {
  return {
    _id: { $eq: of.id as never },
    kind: { $eq: of.kind },
    tenant: { $eq: of.tenant },
    place: { $eq: of.place },
    version: { $eq: version },
  };
}

function rowOf({ _id: id, ...rest }: Document): OperatorRow {
  return operatorRow({ ...rest, id });
}
