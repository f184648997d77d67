/**
 * @module What the test's own MongoDB enforces, as a real one does: the documented grammar of every
 * command, unique keys, sizes, cursors, and writes that a driver sends again. The provider is held
 * to all of it by every suite that runs on the server; here is what it refuses.
 */
import { CodedError } from "@turnproof/semconv";
import { mongodb } from "@turnproof/store";
import type { MongodbProvider } from "@turnproof/store";
import { MongoClient } from "mongodb";
import type { Db, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import type { MongoServer } from "../../servers/mongodb.ts";

let server: MongoServer;
let client: MongoClient;
let database: Db;
let provider: MongodbProvider;
beforeAll(async () => {
  server = await startMongo({ search: true });
  client = await new MongoClient(server.url).connect();
  database = client.db("enforced");
  provider = await mongodb({ client, database: "enforced" });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const refusal = (command: Document): Promise<unknown> =>
  database.command(command).then(
    () => undefined,
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );

const near = { index: "i", path: "embedding", queryVector: [1, 0], limit: 5, numCandidates: 100 };
const vectorSearch = (change: object, ...more: object[]): Document => ({
  aggregate: "c",
  pipeline: [...more, { $vectorSearch: { ...near, ...change } }],
  cursor: {},
});
const definitionOf = (...fields: object[]): Document => ({
  createSearchIndexes: "c",
  indexes: [{ name: "n", type: "vectorSearch", definition: { fields } }],
});
const vector = { type: "vector", path: "e", numDimensions: 2, similarity: "cosine" };

/** Statements outside of the manual, by what is wrong with them. */
const wrong: Readonly<Record<string, Document>> = {
  "an unknown command": { fetch: "c" },
  "an unknown field": { find: "c", filters: {} },
  "a filter that is no document": { find: "c", filter: [] },
  "an unknown operator": { find: "c", filter: { a: { $equals: 1 } } },
  "an unknown top level operator": { find: "c", filter: { $xor: [] } },
  "an operator beside a value": { find: "c", filter: { a: { $eq: 1, b: 2 } } },
  "an operator as a value": { find: "c", filter: { a: { $eq: { $ne: null } } } },
  "a list that is none": { find: "c", filter: { a: { $in: "x" } } },
  "an empty $or": { find: "c", filter: { $or: [] } },
  "a $not of a value": { find: "c", filter: { a: { $not: 1 } } },
  "a direction of 2": { find: "c", filter: {}, sort: { a: 2 } },
  "a negative limit": { find: "c", filter: {}, limit: -1 },
  "a mixed projection": { find: "c", filter: {}, projection: { a: 1, b: 0 } },
  "an unknown modifier": { update: "c", updates: [{ q: {}, u: { $put: { a: 1 } } }] },
  "a text to add": { update: "c", updates: [{ q: {}, u: { $inc: { a: "1" } } }] },
  "a path of an operator": { update: "c", updates: [{ q: {}, u: { $set: { $a: 1 } } }] },
  "a whole document for many": { update: "c", updates: [{ q: {}, u: { a: 1 }, multi: true }] },
  "a document beside an operator": { update: "c", updates: [{ q: {}, u: { a: 1, $set: {} } }] },
  "a delete of five": { delete: "c", deletes: [{ q: {}, limit: 5 }] },
  "no cursor": { aggregate: "c", pipeline: [] },
  "an unknown stage": { aggregate: "c", pipeline: [{ $filter: {} }], cursor: {} },
  "two stages in one": { aggregate: "c", pipeline: [{ $limit: 1, $skip: 1 }], cursor: {} },
  "a limit of none": { aggregate: "c", pipeline: [{ $limit: 0 }], cursor: {} },
  "a group without an id": { aggregate: "c", pipeline: [{ $group: { n: 1 } }], cursor: {} },
  "an index without a name": { createIndexes: "c", indexes: [{ key: { a: 1 } }] },
  "a partial index of what is not there": {
    createIndexes: "c",
    indexes: [{ key: { a: 1 }, name: "a", partialFilterExpression: { a: { $exists: false } } }],
  },
  "a vector search that is not first": vectorSearch({}, { $match: {} }),
  "more candidates than 10,000": vectorSearch({ numCandidates: 10_001 }),
  "fewer candidates than hits": vectorSearch({ limit: 200 }),
  "no candidates": vectorSearch({ numCandidates: undefined, exact: false }),
  "candidates of an exact search": vectorSearch({ exact: true }),
  "half a hit": vectorSearch({ limit: 2.5 }),
  "an empty vector": vectorSearch({ queryVector: [] }),
  "a text in a vector": vectorSearch({ queryVector: ["1"] }),
  "no index": vectorSearch({ index: undefined }),
  "a regex in the stage": vectorSearch({ filter: { a: { $regex: "x" } } }),
  "null in the stage": vectorSearch({ filter: { a: { $eq: null } } }),
  "a type in the stage": vectorSearch({ filter: { a: { $type: "string" } } }),
  "a search index without a vector": definitionOf({ type: "filter", path: "a" }),
  "a field twice": definitionOf(
    vector,
    { type: "filter", path: "a" },
    { type: "filter", path: "a" },
  ),
  "too many dimensions": definitionOf({ ...vector, numDimensions: 8_193 }),
  "an unknown similarity": definitionOf({ ...vector, similarity: "manhattan" }),
  "an unknown type of field": definitionOf(vector, { type: "token", path: "a" }),
};

describe("the grammar", () => {
  test.each(Object.entries(wrong))("refuses %s", async (_name, command) => {
    expect([9, 59]).toContain(await refusal(command));
  });

  test("has room for everything that the provider sends", async () => {
    const before = server.violations.length;
    const { memory, evidence, retention, vectors } = provider;
    const filter = { tenant: "ann", agentId: "a", memoryId: "m", threadId: "t" };
    const draft = {
      id: "r",
      embedding: [1, 0],
      text: "x",
      data: {},
      created_at: "2026-01-01T00:00:00Z",
    };
    await memory.put(filter, "entity", draft);
    await memory.put({ tenant: null, memoryId: "m" }, "entity", { ...draft, id: "old" });
    await memory.update(filter, "entity", "r", 1, { text: "y" });
    await memory.list(filter, "entity", { limit: 1 });
    await memory.textSearch(filter, "entity", { text: "y", limit: 1 });
    await vectors.migrate({ dryRun: false });
    const query = { embedding: [1, 0], limit: 1 };
    await memory.vectorSearch(filter, "entity", query);
    await memory.admin.migrateLegacyEntities({ memoryId: "m", userId: "ann" });
    await memory.admin.deleteTenant({ tenant: "ann" }, "entity");
    await memory.shared.put("persona", draft);
    await memory.shared.delete("persona", "r");
    await provider.copyOld({ dryRun: false });
    await provider.dropOld();
    await evidence.page({ tenant: "ann" }, { agent_id: "a" }, { limit: 5 });
    const policy = { class: { preview: 1, event: 1, audit: 1 } };
    await retention.memory({ policy, now: "2026-01-01T00:00:00Z" } as never).catch(() => {});
    await memory.check();
    expect(server.violations.slice(before)).toEqual([]);
    for (const name of [
      "createIndexes",
      "findAndModify",
      "update",
      "delete",
      "aggregate",
      "find",
    ]) {
      expect(server.commands).toContain(name);
    }
  });
});

test("a duplicate key names its pattern, and ends an ordered run only", async () => {
  const rows = database.collection<Document>("keys");
  await rows.createIndex({ user_id: 1, id: 1 }, { unique: true });
  await rows.insertOne({ user_id: "ann", id: "1" });
  const twice = rows.insertOne({ user_id: "ann", id: "1" });
  await expect(twice).rejects.toMatchObject({
    code: 11_000,
    keyPattern: { user_id: 1, id: 1 },
    keyValue: { user_id: "ann", id: "1" },
  });
  const mixed = ["1", "2"].map((id) => ({ user_id: "ann", id }));
  await expect(rows.insertMany(mixed, { ordered: false })).rejects.toMatchObject({ code: 11_000 });
  expect(await rows.countDocuments({})).toBe(2);
  await expect(rows.updateOne({ id: "2" }, { $set: { id: "1" } })).rejects.toMatchObject({
    code: 11_000,
  });
  await expect(rows.updateOne({ id: "2" }, { $set: { _id: 1 } })).rejects.toMatchObject({
    code: 66,
  });
  const unique = database.collection("doubles");
  await unique.insertMany([{ a: 1 }, { a: 1 }]);
  await expect(unique.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({
    code: 11_000,
  });
});

test("a cursor brings its rest by getMore, and is ended by whoever leaves it", async () => {
  const rows = database.collection("many");
  await rows.insertMany(Array.from({ length: 1_050 }, (_, n) => ({ n })));
  const before = server.commands.length;
  expect(await rows.find().toArray()).toHaveLength(1_050);
  expect(await rows.aggregate([{ $match: {} }]).toArray()).toHaveLength(1_050);
  expect(server.commands.slice(before).filter((name) => name === "getMore")).toHaveLength(2);
  for await (const row of rows.find({}, { batchSize: 10 })) if (row["n"] === 15) break;
  expect(server.commands.slice(before)).toContain("killCursors");
  expect(server.openCursors()).toBe(0);
  expect(await refusal({ getMore: 99n, collection: "many" })).toBe(43);
});

test("a write whose answer was lost is sent again, and done once", async () => {
  const { memory } = provider;
  const ann = { tenant: "ann" };
  const draft = { id: "once", data: {}, created_at: "2026-01-01T00:00:00Z" };
  await memory.put(ann, "summary", draft);
  const lost = ["findAndModify", "update", "insert", "delete"];
  server.set({ search: true, loseAnswers: lost });
  expect((await memory.put(ann, "summary", draft)).version).toBe(2);
  expect((await memory.update(ann, "summary", "once", 2, { text: "x" })).version).toBe(3);
  expect((await memory.get(ann, "summary", "once"))?.version).toBe(3);
  await database.collection("once").insertOne({ _id: "1" as never });
  expect(await memory.delete(ann, "summary", "once")).toBe(true);
  server.set({ search: true });
});

test("a row beyond 16 MB is refused for good, and nothing of it is stored", async () => {
  const { memory } = provider;
  const ann = { tenant: "ann" };
  const draft = { id: "large", data: {}, created_at: "2026-01-01T00:00:00Z" };
  for (const mega of [16.1, 17, 24, 50]) {
    const text = "x".repeat(Math.round(mega * 1_048_576));
    const code = await memory.put(ann, "summary", { ...draft, text }).then(
      () => undefined,
      (error: unknown) => (CodedError.is(error) ? error.code : String(error)),
    );
    expect(code).toBe("store_rejected_row");
  }
  expect(await memory.get(ann, "summary", "large")).toBeUndefined();
  await memory.put(ann, "summary", { ...draft, text: "x".repeat(15 * 1_048_576) });
  expect((await memory.get(ann, "summary", "large"))?.version).toBe(1);
});
