/**
 * @module MongoDB's search indexes and the tenant: the filter field is reconciled where the
 * principal may, reported once where it may not, and searches are exact and scoped in every case.
 */
import { memoryCollections, scopedKinds } from "@turnproof/semconv";
import { mongodb } from "@turnproof/store";
import type { MongodbProvider } from "@turnproof/store";
import { afterEach, describe, expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import type { MongoServer } from "../../servers/mongodb.ts";

const vectorField = { type: "vector", path: "embedding", numDimensions: 2, similarity: "cosine" };
const userField = { type: "filter", path: "user_id" };
const open: (MongoServer | MongodbProvider)[] = [];

afterEach(async () => {
  for (const part of open.splice(0).toReversed()) await part.close();
});

async function start(options: {
  readonly fields: readonly Record<string, unknown>[];
  readonly refuse?: boolean;
  readonly exactRowsMax?: number;
}): Promise<{ readonly server: MongoServer; readonly provider: MongodbProvider }> {
  const server = await startMongo({ search: true, refuseIndexUpdates: options.refuse === true });
  open.push(server);
  for (const kind of scopedKinds) {
    server.defineSearchIndex(memoryCollections[kind], "vector", options.fields);
  }
  const provider = await mongodb({ url: server.url, exactRowsMax: options.exactRowsMax ?? 10_000 });
  open.push(provider);
  return { server, provider };
}

const at = "2026-03-01T10:00:00.000Z";
async function fill({ memory }: MongodbProvider): Promise<void> {
  for (const tenant of ["ann", "bob", null]) {
    for (let n = 0; n < 12; n += 1) {
      const embedding = [Math.cos(n / 7), Math.sin(n / 7)];
      await memory.put({ tenant }, "entity", {
        id: `e${n}`,
        embedding,
        data: { n },
        created_at: at,
      });
    }
  }
}
const near = { embedding: [1, 0], limit: 3 };

describe("a vector index", () => {
  test("without the filter field gets it, and is searched under the tenant's filter", async () => {
    const { server, provider } = await start({ fields: [vectorField], exactRowsMax: 5 });
    await fill(provider);
    expect(server.commands).toContain("updateSearchIndex");
    expect(provider.vectors.unscoped()).toEqual([]);
    const found = await provider.memory.vectorSearch({ tenant: "ann" }, "entity", near);
    expect(found).toMatchObject({ method: "index", diagnostics: [] });
    expect(found.hits.map(({ record }) => [record.id, record.user_id])).toEqual([
      ["e0", "ann"],
      ["e1", "ann"],
      ["e2", "ann"],
    ]);
    expect(server.filters).toContainEqual({
      user_id: { $eq: "ann" },
      expires_ms: { $not: { $lte: expect.any(Number) } },
    });
  });

  test("that may not be changed is said once, searches stay exact, and it is tried again", async () => {
    const { server, provider } = await start({ fields: [vectorField], refuse: true });
    await fill(provider);
    expect(provider.vectors.unscoped()).toContain("entity_memory");
    const first = await provider.memory.vectorSearch({ tenant: "ann" }, "entity", near);
    const second = await provider.memory.vectorSearch({ tenant: "ann" }, "entity", near);
    expect(first).toMatchObject({ method: "exact", diagnostics: ["vector_index_unscoped"] });
    expect(second).toMatchObject({ method: "exact", diagnostics: [] });
    expect(first.hits.map(({ record }) => record.user_id)).toEqual(["ann", "ann", "ann"]);
    server.set({ search: true });
    await provider.vectors.reconcile();
    expect(provider.vectors.unscoped()).toEqual([]);
  });

  test("is not asked for anonymous rows or what is small enough to compare", async () => {
    const { server, provider } = await start({ fields: [vectorField, userField], exactRowsMax: 5 });
    await fill(provider);
    const requested = (): number => server.commands.filter((name) => name === "aggregate").length;
    const anonymous = await provider.memory.vectorSearch({ tenant: null }, "entity", near);
    expect(anonymous).toMatchObject({ method: "exact", bounded: true });
    expect(anonymous.hits.every(({ record }) => record.user_id === null)).toBe(true);
    const narrow = { tenant: "ann", agentId: "a" };
    expect((await provider.memory.vectorSearch(narrow, "entity", near)).hits).toEqual([]);
    expect((await provider.memory.vectorSearch({ tenant: "eve" }, "entity", near)).hits).toEqual(
      [],
    );
    expect(requested()).toBeGreaterThan(0);
    expect(
      server.filters.filter((filter) =>
        JSON.stringify(filter).startsWith(`{"user_id":{"$eq":null}`),
      ),
    ).toEqual([]);
  });
});

test("legacy rows without a user are anonymous, and adopted by one exact memory", async () => {
  const { server, provider } = await start({ fields: [] });
  const rows = server.documents("turnproof", "entity_memory");
  rows.push({
    _id: "1",
    id: "old",
    memory_id: "m1",
    data: "{}",
    created_at: at,
    created_key: "x",
    version: 1,
  });
  rows.push({
    _id: "2",
    id: "else",
    memory_id: "m2",
    data: "{}",
    created_at: at,
    created_key: "x",
    version: 1,
  });
  expect(await provider.memory.count({ tenant: null }, "entity")).toBe(2);
  expect(await provider.memory.count({ tenant: "ann" }, "entity")).toBe(0);
  const moved = await provider.memory.admin.migrateLegacyEntities({
    memoryId: "m1",
    userId: "ann",
  });
  expect(moved).toBe(1);
  expect((await provider.memory.get({ tenant: "ann" }, "entity", "old"))?.memory_id).toBe("m1");
  expect(await provider.memory.count({ tenant: null }, "entity")).toBe(1);
});

test("every filter of a scoped read names its tenant, and values are never operators", async () => {
  const { server, provider } = await start({ fields: [] });
  const hostile = { tenant: `{"$ne":null}`, agentId: "$where", threadId: "a.b" };
  const before = server.filters.length;
  const { memory } = provider;
  await memory.put(hostile, "summary", {
    id: "$gt",
    data: { $set: { a: 1 } },
    created_at: at,
    text: "x",
  });
  await memory.get(hostile, "summary", "$gt");
  await memory.list(hostile, "summary", { limit: 5 });
  await memory.count(hostile, "summary");
  await memory.textSearch(hostile, "summary", { text: "x", limit: 1 });
  await memory.vectorSearch(hostile, "summary", near);
  await memory.delete(hostile, "summary", "$gt");
  const seen = server.filters.slice(before).map((filter) => JSON.stringify(filter));
  expect(seen.length).toBeGreaterThanOrEqual(7);
  for (const filter of seen) expect(filter).toContain(`"$eq":"{\\"$ne\\":null}"}`);
});
