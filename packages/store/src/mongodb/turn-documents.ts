/**
 * @module TurnDocuments: a record in the collection of turns. A deleted turn keeps its key and
 * version, so that no older version comes back.
 */
import type { AnyBulkWriteOperation, Collection, Document } from "mongodb";

import {
  listFields,
  numberFields,
  statedText,
  textFields,
  timeFields,
} from "../ledger/turn-fields.ts";
import type { ListField } from "../ledger/turn-fields.ts";
import { contractPrefix } from "../ledger/turn-record.ts";
import { endOf, newestWrites, versionNumber } from "../ledger/turn-writes.ts";
import type { TurnWrite } from "../ledger/turn-writes.ts";
import { coded, duplicateKey, numberOf } from "./store-error.ts";

/** The field with the values of a list. */
export function fieldOfList(field: ListField): string {
  return `${field}_list`;
}

/** Indexes for each order of a list, and for last receipts; other conditions are filtered after. */
const orders: readonly Readonly<Record<string, 1 | -1>>[] = [
  { gone: 1, first_received: -1, _id: -1 },
  { gone: 1, own_time: -1, _id: -1 },
  { gone: 1, ended_at: -1, _id: -1 },
  { gone: 1, received_at: -1 },
  { tenant: 1, ended_at: -1, _id: -1 },
  { thread_id: 1 },
  { root_trace_id: 1 },
  { name_list: 1 },
];

/** Creates the indexes; an existing one is unchanged. */
export async function ensureTurnIndexes(collection: Collection<Document>): Promise<void> {
  for (const order of orders) await collection.createIndex({ ...order });
}

/** Gives turns of an older version their own time, by which lists go. */
export async function fillOwnTimes(collection: Collection<Document>): Promise<void> {
  await collection.updateMany({ gone: { $eq: false }, own_time: { $eq: null } }, [
    { $set: { own_time: { $min: ["$ended_at", "$received_at"] } } },
  ]);
}

/** Gives turns of an older version the results of their contracts, which are among their names. */
export async function fillContractResults(collection: Collection<Document>): Promise<void> {
  const start = contractPrefix.length;
  const isResult = {
    $and: [
      { $eq: [{ $indexOfCP: ["$$one", contractPrefix] }, 0] },
      { $eq: [{ $indexOfCP: ["$$one", "@"] }, -1] },
    ],
  };
  const results = { $filter: { input: "$name_list", as: "one", cond: isResult } };
  const rest = { $substrCP: ["$$one", start, { $subtract: [{ $strLenCP: "$$one" }, start] }] };
  await collection.updateMany({ gone: { $eq: false }, contract_list: { $eq: null } }, [
    { $set: { contract_list: { $map: { input: results, as: "one", in: rest } } } },
  ]);
}

/** Writes of one command. */
const chunkWrites = 1_000;

/** Writes versions that are newer than the stored ones. */
export async function writeTurns(
  collection: Collection<Document>,
  writes: readonly TurnWrite[],
): Promise<void> {
  const all = newestWrites(writes).map(operationOf);
  for (let from = 0; from < all.length; from += chunkWrites) {
    const some = all.slice(from, from + chunkWrites);
    await coded(async () => {
      try {
        await collection.bulkWrite(some, { ordered: false });
      } catch (error) {
        // The key exists with a newer version, which the filter excluded.
        if (!isOnlyNewer(error)) throw error;
      }
    });
  }
}

function isOnlyNewer(error: unknown): boolean {
  const { writeErrors } = error as {
    readonly writeErrors?: readonly { readonly code?: number }[] | { readonly code?: number };
  };
  const failures = [writeErrors ?? { code: numberOf(error) ?? -1 }].flat();
  return failures.length > 0 && failures.every(({ code }) => code === duplicateKey);
}

function operationOf(write: TurnWrite): AnyBulkWriteOperation {
  const { key, version } = endOf(write);
  // Twenty digits of an unsigned 64-bit number: as text they sort like the numbers.
  const number = versionNumber(version).toString().padStart(20, "0");
  const filter = { $and: [{ _id: { $eq: key as never } }, { version: { $lte: number } }] };
  const replacement = { version: number, ...fieldsOf(write) };
  return { replaceOne: { filter, replacement, upsert: true } };
}

function fieldsOf(write: TurnWrite): Document {
  if ("drop" in write) return { gone: true };
  const record = write.put;
  const fields: Document = { gone: false, has_error: record.row.has_error };
  for (const table of [textFields, numberFields, timeFields]) {
    for (const [name, read] of Object.entries(table)) fields[name] = read(record);
  }
  for (const [name, read] of Object.entries(listFields)) {
    fields[fieldOfList(name as ListField)] = [...read(record)];
  }
  fields["calls"] = record.calls.map((call) => ({
    ...call,
    name: statedText(call.name),
    provider: statedText(call.provider),
    outcome: statedText(call.outcome),
    error_type: statedText(call.error_type),
    service_tier: statedText(call.service_tier),
  }));
  fields["record"] = JSON.stringify(record);
  return fields;
}
