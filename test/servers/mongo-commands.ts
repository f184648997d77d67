/** @module The commands that the test server answers; every other one is unknown to it. */
import { Aggregator } from "mingo";
import { ObjectId } from "bson";

import { changed, insertedFields, isSame } from "./mongo-change.ts";
import type { Collection } from "./mongo-collection.ts";
import type { Engine } from "./mongo-engine.ts";
import { CommandError } from "./mongo-error.ts";
import { matcher, sorted } from "./mongo-match.ts";
import { listed, vectorStage } from "./mongo-search.ts";
import type { Doc } from "./mongo-wire.ts";

/** What a command works on. */
export interface Target {
  readonly engine: Engine;
  readonly collection: Collection;
  readonly database: string;
  /** Name of the collection. */
  readonly name: string;
}

type Handler = (target: Target, command: Doc) => Doc;

const namespaceOf = ({ database, name }: Target): string => `${database}.${name}`;

const hello = (): Doc => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  // A router of a sharded cluster: one address, and writes that can be retried.
  msg: "isdbgrid",
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
});

/** Handlers by command. */
export const handlers: { readonly [command: string]: Handler } = {
  hello,
  ismaster: hello,
  ping: () => ({}),
  endSessions: () => ({}),
  killCursors: ({ engine }, command) => engine.cursors.kill(command["cursors"] as unknown[]),
  getMore: (target, command) =>
    target.engine.cursors.more(command, `${target.database}.${String(command["collection"])}`),
  dropDatabase: ({ engine, database }) => engine.drop(database),
  drop: ({ engine, database, name }) => engine.dropCollection(database, name),
  createIndexes,
  insert: (target, command) =>
    each(command["documents"] as Doc[], command, (document) => {
      document["_id"] ??= new ObjectId();
      target.collection.insert(document);
      return { n: 1 };
    }),
  find(target, command) {
    const found = select(target, command["filter"]);
    const inOrder = sorted(found, command["sort"] as Doc).slice(Number(command["skip"] ?? 0));
    const limit = Number(command["limit"] ?? 0);
    const limited = limit > 0 ? inOrder.slice(0, limit) : inOrder;
    const rows = projected(limited, command["projection"] as Doc | undefined);
    return target.engine.cursors.first(namespaceOf(target), rows, command);
  },
  distinct(target, command) {
    const values = select(target, command["query"]).map((row) => row[String(command["key"])]);
    return { values: [...new Set(values.flat())].filter((value) => value !== undefined) };
  },
  update,
  delete: (target, command) =>
    each(command["deletes"] as Doc[], command, ({ q, limit }) => {
      const found = select(target, q);
      const ended = limit === 1 ? found.slice(0, 1) : found;
      for (const document of ended) target.collection.remove(document);
      return { n: ended.length };
    }),
  findAndModify,
  aggregate,
  createSearchIndexes(target, command) {
    const { engine, database, name } = target;
    engine.checkSearch();
    const made = (command["indexes"] as Doc[]).map((index) => {
      const given = typeof index["name"] === "string" ? index["name"] : "default";
      engine.createSearchIndex(database, name, given, index);
      return { id: `id-${given}`, name: given };
    });
    return { indexesCreated: made };
  },
  updateSearchIndex({ engine, database, name }, command) {
    engine.checkSearch();
    engine.updateSearchIndex(database, name, command);
    return {};
  },
  dropSearchIndex({ engine, database, name }, command) {
    engine.checkSearch();
    engine.searchIndexes(database, name).delete(String(command["name"]));
    return {};
  },
};

function select({ engine, collection }: Target, filter: unknown): Doc[] {
  const given = (filter ?? {}) as Doc;
  engine.saw(given);
  return collection.select(given);
}

function createIndexes({ collection }: Target, command: Doc): Doc {
  for (const index of command["indexes"] as Doc[]) {
    if (index["unique"] !== true) continue;
    const partial = index["partialFilterExpression"] as Doc | undefined;
    collection.index(String(index["name"]), Object.keys(index["key"] as Doc), partial);
  }
  return {};
}

/** Writes one by one; what is refused is listed with its place, and ends an ordered run. */
function each(writes: readonly Doc[], command: Doc, write: (one: Doc) => Doc): Doc {
  const writeErrors: Doc[] = [];
  const upserted: Doc[] = [];
  const sums: { [name: string]: number } = { n: 0 };
  for (const [index, one] of writes.entries()) {
    try {
      for (const [name, value] of Object.entries(write(one))) {
        if (name === "upserted") upserted.push({ index, _id: value });
        else sums[name] = (sums[name] ?? 0) + Number(value);
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push(error.writeError(index));
      if (command["ordered"] !== false) break;
    }
  }
  return {
    ...sums,
    ...(upserted.length === 0 ? {} : { upserted }),
    ...(writeErrors.length === 0 ? {} : { writeErrors }),
  };
}

function update(target: Target, command: Doc): Doc {
  const { collection } = target;
  return each(command["updates"] as Doc[], command, ({ q, u, multi, upsert }) => {
    const found = select(target, q);
    let modified = 0;
    for (const document of multi === true ? found : found.slice(0, 1)) {
      const next = changed(document, u as Doc, false);
      if (isSame(document, next)) continue;
      collection.replace(document, next);
      modified += 1;
    }
    const n = multi === true ? found.length : Math.min(found.length, 1);
    if (n > 0 || upsert !== true) return { n, nModified: modified };
    return { n: 1, nModified: 0, upserted: inserted(target, q as Doc, u as Doc)["_id"] };
  });
}

function inserted({ collection }: Target, filter: Doc, change: Doc): Doc {
  const document = changed(insertedFields(filter), change, true);
  document["_id"] ??= new ObjectId();
  collection.insert(document);
  return document;
}

function findAndModify(target: Target, command: Doc): Doc {
  const found = sorted(select(target, command["query"]), command["sort"] as Doc)[0];
  const change = command["update"] as Doc;
  const isNew = command["new"] === true;
  if (found !== undefined) {
    const before = { ...found };
    target.collection.replace(found, changed(found, change, false));
    const value = isNew ? found : before;
    return { value, lastErrorObject: { n: 1, updatedExisting: true } };
  }
  if (command["upsert"] !== true) {
    return { value: null, lastErrorObject: { n: 0, updatedExisting: false } };
  }
  const made = inserted(target, command["query"] as Doc, change);
  const lastErrorObject = { n: 1, updatedExisting: false, upserted: made["_id"] };
  return { value: isNew ? made : null, lastErrorObject };
}

function aggregate(target: Target, command: Doc): Doc {
  const { engine, collection, database, name } = target;
  const pipeline = command["pipeline"] as Doc[];
  let documents: Doc[] = [];
  for (const [at, stage] of pipeline.entries()) {
    if ("$listSearchIndexes" in stage) {
      engine.checkSearch();
      documents = [...engine.searchIndexes(database, name).values()].map(listed);
    } else if ("$vectorSearch" in stage) {
      engine.checkSearch();
      const near = stage["$vectorSearch"] as Doc;
      engine.saw(near["filter"] ?? {});
      const index = engine.searchIndexes(database, name).get(String(near["index"]));
      documents = vectorStage(index, collection.documents, near);
    } else if ("$match" in stage) {
      // Matching and sorting are ours, for the order of bytes.
      const given = stage["$match"] as Doc;
      if (at === 0) documents = select(target, given);
      else {
        engine.saw(given);
        documents = documents.filter(matcher(given));
      }
    } else if ("$sort" in stage) {
      documents = sorted(at === 0 ? collection.documents : documents, stage["$sort"] as Doc);
    } else {
      // Copies: $unwind takes an empty list away from the documents that it is given.
      const before = (at === 0 ? collection.documents : documents).map((one) => ({ ...one }));
      documents = new Aggregator([stage] as never, {
        collectionResolver: (other: string) => engine.collection(database, other).documents,
      }).run(before);
    }
  }
  return engine.cursors.first(namespaceOf(target), documents, command);
}

/** Fields that are included; `_id` always is. */
function projected(documents: readonly Doc[], projection: Doc | undefined): readonly Doc[] {
  const names = Object.keys(projection ?? {});
  if (names.length === 0) return documents;
  return documents.map((document) =>
    Object.fromEntries(
      ["_id", ...names].flatMap((name) => (name in document ? [[name, document[name]]] : [])),
    ),
  );
}
