/** @module MongodbMemory: scoped memory over collections; every statement contains the filter. */
import { CodedError, memoryCollections } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";
import type { Collection, Db, Document, Filter } from "mongodb";

import { readPosition } from "../memory/list-position.ts";
import { checkFilter, checkScopedKind, insideFilter, recordOf } from "../memory/record-rules.ts";
import { firstPageOf } from "../memory/row-page.ts";
import { timeKey } from "../memory/similarity.ts";
import type { MemoryFilter, MemoryStore } from "../memory-store.ts";
import {
  insideDocument,
  listOrder,
  liveDocument,
  ofTenant,
  scopedDocument,
  scopedRecord,
} from "./memory-document.ts";
import { textSearch, vectorSearch } from "./memory-search.ts";
import type { MongoSearchPlace } from "./memory-search.ts";
import { coded, duplicateKey, numberOf } from "./store-error.ts";
import type { MongoVectorIndexes } from "./vector-index.ts";

/** Dependencies of memory. */
export interface MongoMemoryParts {
  readonly database: Db;
  readonly clock: () => string;
  readonly exactRowsMax: number;
  readonly vectors: MongoVectorIndexes;
}

/** The methods that take a filter. */
export type MongoScopedMemory = Pick<
  MemoryStore,
  "put" | "get" | "list" | "count" | "update" | "delete" | "vectorSearch" | "textSearch"
>;

/** The collection of a kind. */
export function collectionOf(
  database: Db,
  kind: keyof typeof memoryCollections,
): Collection<Document> {
  return database.collection(memoryCollections[kind]);
}

/** Scoped memory. */
export function mongodbMemory(parts: MongoMemoryParts): MongoScopedMemory {
  const ground = groundOf(parts);
  return { ...reads(ground), ...writes(ground), ...searches(parts, ground) };
}

/** Shared by the methods. */
interface Ground {
  readonly clock: () => string;
  /** The collection, after filter and kind were validated. */
  readonly open: (filter: MemoryFilter, kind: ScopedKind) => Collection<Document>;
  /** Unexpired rows inside the filter. */
  readonly inside: (filter: MemoryFilter, now?: string) => Filter<Document>[];
  readonly one: MongoScopedMemory["get"];
}

function groundOf({ database, clock }: MongoMemoryParts): Ground {
  const open: Ground["open"] = (filter, kind) => {
    checkFilter(filter);
    checkScopedKind(kind);
    return collectionOf(database, kind);
  };
  const inside: Ground["inside"] = (filter, now = clock()) => [
    ...insideDocument(filter),
    liveDocument(now),
  ];
  return {
    clock,
    open,
    inside,
    async one(filter, kind, id) {
      const collection = open(filter, kind);
      const where = { $and: [...inside(filter), byId(id)] };
      const rows = await coded(() => collection.find(where).limit(1).toArray());
      const record = rows[0] === undefined ? undefined : scopedRecord(rows[0], kind);
      return record !== undefined && insideFilter(record, filter) ? record : undefined;
    },
  };
}

function reads({ open, inside, one }: Ground): Pick<MemoryStore, "get" | "list" | "count"> {
  return {
    get: one,
    async list(filter, kind, options) {
      const collection = open(filter, kind);
      const after = options.after === undefined ? [] : [afterDocument(options.after)];
      const where = { $and: [...inside(filter, options.now), ...after] };
      const limit = Math.max(Math.trunc(options.limit), 0);
      const found = collection
        .find(where)
        .sort(listOrder)
        .limit(limit + 1);
      const rows = await coded(() => found.toArray());
      const records = rows
        .map((row) => scopedRecord(row, kind))
        .filter((row) => insideFilter(row, filter));
      return firstPageOf(records, limit);
    },
    async count(filter, kind) {
      const collection = open(filter, kind);
      return coded(() => collection.countDocuments({ $and: inside(filter) }));
    },
  };
}

function writes(ground: Ground): Pick<MemoryStore, "put" | "update" | "delete"> {
  const { clock, open, inside, one } = ground;
  return {
    async put(filter, kind, draft) {
      const collection = open(filter, kind);
      const record = recordOf(filter, kind, draft, { now: clock(), version: 1 });
      const where = { $and: [ofTenant(filter), { id: { $eq: record.id } }] };
      return { ...record, version: await upsert(collection, where, scopedDocument(record)) };
    },
    async update(filter, kind, id, version, changed) {
      const row = await one(filter, kind, id);
      if (row?.version !== version) throw new CodedError("store_conflict");
      const written = { now: clock(), version: version + 1 };
      const record = recordOf(filter, kind, { ...row, ...changed }, written);
      const where = { $and: [...inside(filter), byId(id), { version: { $eq: version } }] };
      const change = { $set: scopedDocument(record) };
      const { matchedCount } = await coded(() => open(filter, kind).updateOne(where, change));
      // The row may have changed since it was read: the version decides again.
      if (matchedCount !== 1) throw new CodedError("store_conflict");
      return record;
    },
    async delete(filter, kind, id) {
      const collection = open(filter, kind);
      const where = { $and: [...inside(filter), byId(id)] };
      return (await coded(() => collection.deleteOne(where))).deletedCount > 0;
    },
  };
}

function searches(
  { exactRowsMax, vectors }: MongoMemoryParts,
  { clock, open }: Ground,
): Pick<MemoryStore, "vectorSearch" | "textSearch"> {
  const place = (filter: MemoryFilter, kind: ScopedKind, now = clock()): MongoSearchPlace => {
    const collection = open(filter, kind);
    return { collection, filter, kind, now, exactRowsMax, vectors };
  };
  return {
    vectorSearch: (filter, kind, query) =>
      coded(async () => vectorSearch(place(filter, kind, query.now), query)),
    textSearch: (filter, kind, query) =>
      coded(async () => textSearch(place(filter, kind, query.now), query)),
  };
}

/**
 * Rows with this id; in UTF-8 a lone surrogate would become another text, so it matches no row.
 */
export function byId(id: string): Filter<Document> {
  return { id: typeof id === "string" && id.isWellFormed() ? { $eq: id } : { $in: [] } };
}

/**
 * Writes a document over the one matching the condition, or a new one, and returns its version. A
 * unique index decides between two writers of one new row; the loser overwrites the winner.
 */
export async function upsert(
  collection: Collection<Document>,
  where: Filter<Document>,
  document: Document,
): Promise<number> {
  const { version, ...fields } = document;
  const change = { $set: fields, $inc: { version: 1 } };
  const options = { upsert: true, returnDocument: "after" } as const;
  const write = (): Promise<Document | null> => collection.findOneAndUpdate(where, change, options);
  const written = await coded(() =>
    write().catch((error: unknown) => {
      if (numberOf(error) !== duplicateKey) throw error;
      return write();
    }),
  );
  return Number(written?.["version"] ?? version);
}

/** Rows after the position in the order of every list. */
export function afterDocument(position: string): Filter<Document> {
  const { created_at, id } = readPosition(position);
  const key = timeKey(created_at);
  return {
    $or: [
      { created_key: { $lt: key } },
      { $and: [{ created_key: { $eq: key } }, { id: { $gt: id } }] },
    ],
  };
}
