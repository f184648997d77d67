/**
 * @module MongoDB's vector search under memory's own filters: the levels stand in the stage itself,
 * an index that cannot serve is left for the exact bounded search and reported, and limits stay
 * inside of what the server allows. On the test's own server, which refuses what a real one
 * refuses.
 */
import { Memory } from "@turnproof/memory";
import { memoryCollections, vectorKinds } from "@turnproof/semconv";
import { mongodb } from "@turnproof/store";
import type { MemoryFilter, MongodbProvider, SearchResult } from "@turnproof/store";
import { afterEach, describe, expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import type { MongoServer } from "../../servers/mongodb.ts";

const at = "2026-03-01T10:00:00.000Z";
const ready = { status: "READY", queryable: true };
const levels = ["user_id", "agent_id", "memory_id", "thread_id", "expires_ms"];
const vector = (numDimensions: number): Record<string, unknown> => ({
  type: "vector",
  path: "embedding",
  numDimensions,
  similarity: "cosine",
});
const whole = (dimensions: number): Record<string, unknown>[] => [
  vector(dimensions),
  ...levels.map((path) => ({ type: "filter", path })),
];

const open: (MongoServer | MongodbProvider)[] = [];
afterEach(async () => {
  for (const part of open.splice(0).toReversed()) await part.close();
});

async function start(
  fields: readonly Record<string, unknown>[],
  state = ready,
  options: { readonly refuse?: boolean } = {},
): Promise<{ readonly server: MongoServer; readonly provider: MongodbProvider }> {
  const server = await startMongo({ search: true, refuseIndexUpdates: options.refuse === true });
  open.push(server);
  for (const kind of vectorKinds) {
    server.defineSearchIndex(memoryCollections[kind], "vector", fields, state);
  }
  const provider = await mongodb({ url: server.url, exactRowsMax: 5 });
  open.push(provider);
  return { server, provider };
}

const place = { tenant: "ann", agentId: "desk", memoryId: "shop", threadId: "t1" };
async function fill({ memory }: MongodbProvider, more: object = {}): Promise<void> {
  for (const threadId of ["t1", "t2"]) {
    for (let n = 0; n < 12; n += 1) {
      const embedding = [Math.cos(n / 7), Math.sin(n / 7)];
      const id = `${threadId}-${n}`;
      const draft = { id, embedding, data: { n }, created_at: at, ...more };
      await memory.put({ ...place, threadId }, "conversation", draft);
    }
  }
}

const search = (
  { memory }: MongodbProvider,
  filter: MemoryFilter = place,
  more: object = {},
): Promise<SearchResult> =>
  memory.vectorSearch(filter, "conversation", { embedding: [1, 0], limit: 3, ...more });
const idsOf = ({ hits }: SearchResult): readonly string[] => hits.map(({ record }) => record.id);

describe("the levels below the tenant", () => {
  test("stand in the stage, so that the index answers for a thread", async () => {
    const { server, provider } = await start(whole(2));
    await fill(provider);
    const found = await search(provider);
    expect(found).toMatchObject({ method: "index", bounded: false, diagnostics: [] });
    expect(idsOf(found)).toEqual(["t1-0", "t1-1", "t1-2"]);
    expect(server.filters).toContainEqual({
      user_id: { $eq: "ann" },
      agent_id: { $eq: "desk" },
      memory_id: { $eq: "shop" },
      thread_id: { $eq: "t1" },
      expires_ms: { $not: { $lte: expect.any(Number) } },
    });
    expect(server.violations).toEqual([]);
  });

  test("are used by memory itself: a question of an agent is asked of the index", async () => {
    const { server, provider } = await start(whole(2));
    const embedder = {
      provider: "p",
      modelId: "m",
      doEmbed: async ({ values }: { readonly values: string[] }) => ({
        embeddings: values.map((text) => [1, text.length % 7]),
      }),
    };
    const memory = new Memory(provider.memory, { embedder });
    const who = { userId: "ann", agentId: "desk", memoryId: "shop" };
    for (let n = 0; n < 20; n += 1) {
      const message = { role: "user", text: `parcel ${"x".repeat(n)}` } as const;
      await memory.conversation.append({ ...who, threadId: `t${n}` }, [message]);
    }
    const { record } = await memory.assembleContext(
      { ...who, threadId: "now" },
      { text: "where is my parcel" },
      { retrieval: { mode: "vector" } },
    );
    expect(record).toMatchObject({ degraded: false, limits: [] });
    expect(server.filters).toContainEqual({
      user_id: { $eq: "ann" },
      agent_id: { $eq: "desk" },
      memory_id: { $eq: "shop" },
      expires_ms: { $not: { $lte: expect.any(Number) } },
    });
  });

  test("that the index cannot filter by are compared afterwards, and never lost", async () => {
    const fields = [vector(2), { type: "filter", path: "user_id" }];
    const { provider } = await start(fields, ready, { refuse: true });
    await fill(provider);
    const found = await search(provider);
    expect(idsOf(found)).toEqual(["t1-0", "t1-1", "t1-2"]);
    expect(found.hits.every(({ record }) => record.thread_id === "t1")).toBe(true);
  });

  test("come with the time: rows whose time is over take no place of the others", async () => {
    const { provider } = await start(whole(2));
    await fill(provider);
    for (let n = 0; n < 40; n += 1) {
      const over = { embedding: [1, 0], created_at: at, expires_at: "2026-03-02T00:00:00Z" };
      await provider.memory.put(place, "conversation", { id: `over-${n}`, data: {}, ...over });
    }
    const found = await search(provider);
    expect(found.method).toBe("index");
    expect(idsOf(found)).toEqual(["t1-0", "t1-1", "t1-2"]);
  });
});

describe("an index that cannot serve", () => {
  test.each([
    ["building", { status: "BUILDING", queryable: false }, whole(2), "vector_index_building"],
    ["built anew", { status: "BUILDING", queryable: true }, whole(2), "vector_index_building"],
    ["pending", { status: "PENDING", queryable: false }, whole(2), "vector_index_building"],
    ["stale", { status: "STALE", queryable: true }, whole(2), "vector_index_stale"],
    ["failed", { status: "FAILED", queryable: false }, whole(2), "vector_index_failed"],
    ["of other dimensions", ready, whole(3), "vector_index_dimensions"],
  ])("%s: the exact bounded search answers, and says why", async (_name, state, fields, code) => {
    const { server, provider } = await start(fields, state);
    await fill(provider);
    for (let time = 0; time < 2; time += 1) {
      // What met the bound has its reason each time.
      const found = await search(provider);
      expect(found).toMatchObject({ method: "exact", bounded: true, diagnostics: [code] });
      expect(found.hits).toHaveLength(3);
    }
    const small = { ...place, threadId: "none" };
    expect(await search(provider, small)).toMatchObject({ bounded: false, diagnostics: [] });
    const { diagnostics = [] } = await provider.memory.check();
    if (code !== "vector_index_dimensions") expect(diagnostics).toContain(code);
    for (const kind of vectorKinds) {
      server.defineSearchIndex(memoryCollections[kind], "vector", whole(2));
    }
    await provider.vectors.reconcile();
    expect(await search(provider)).toMatchObject({ method: "index", diagnostics: [] });
    expect((await provider.memory.check()).diagnostics).toEqual([]);
  });

  test("since the last look: the server's refusal is met by the exact search", async () => {
    const { server, provider } = await start(whole(2));
    await fill(provider);
    expect((await search(provider)).method).toBe("index");
    const collection = memoryCollections.conversation;
    const gone = { status: "BUILDING", queryable: false };
    server.defineSearchIndex(collection, "vector", whole(2), gone);
    const found = await search(provider);
    expect(found).toMatchObject({ method: "exact", diagnostics: ["vector_index_failed"] });
    expect((await search(provider)).diagnostics).toEqual(["vector_index_building"]);
  });

  test("is not believed to serve as soon as it was changed", async () => {
    const { server, provider } = await start([vector(2)]);
    expect(provider.vectors.unscoped()).toEqual([]);
    server.set({ search: true, slowBuilds: true });
    for (const kind of vectorKinds) {
      server.defineSearchIndex(memoryCollections[kind], "vector", [vector(2)]);
    }
    await provider.vectors.reconcile();
    await fill(provider);
    expect((await search(provider)).diagnostics).toEqual(["vector_index_building"]);
    server.finishBuilding();
    await provider.vectors.reconcile();
    expect((await search(provider)).method).toBe("index");
  });
});

test("limits stay inside of what the server allows", async () => {
  const { server, provider } = await start(whole(2));
  await fill(provider);
  for (const limit of [1, 2, 500, 2_501, 10_000, 10_001, 50_000, 3.7]) {
    const found = await search(provider, place, { limit });
    expect(idsOf(found)[0]).toBe("t1-0");
    expect(found.hits).toHaveLength(Math.min(Math.trunc(limit), 12));
  }
  expect(await search(provider, place, { embedding: [0, 0] })).toMatchObject({ hits: [] });
  // Beyond the candidates of an approximate search every vector is compared: nothing is left out.
  const all = await search(provider, { tenant: "ann" }, { limit: 20_000 });
  expect(all).toMatchObject({ bounded: false });
  expect(all.hits).toHaveLength(24);
  // Nearer rows than the least of a request are no reason to compare every row.
  const strict = await search(provider, place, { minScore: 0.99999 });
  expect(strict).toMatchObject({ method: "index", bounded: false });
  expect(idsOf(strict)).toEqual(["t1-0"]);
  expect(server.violations).toEqual([]);
});

describe("a migration of the search indexes", () => {
  test("looks first, makes what is missing, says how far it is, and may be left", async () => {
    const server = await startMongo({ search: true, slowBuilds: true });
    open.push(server);
    const provider = await mongodb({ url: server.url, exactRowsMax: 5 });
    open.push(provider);
    await fill(provider);
    const conversation = { collection: "conversation_memory", dimensions: 2 };
    const dry = await provider.vectors.migrate();
    expect(dry).toContainEqual({ ...conversation, state: "missing" });
    expect(dry).toContainEqual({ collection: "summaries", state: "no vectors", dimensions: null });
    expect(server.commands).not.toContain("createSearchIndexes");
    const left = await provider.vectors.migrate({ dryRun: false, waitMs: 0 });
    expect(left).toContainEqual({ ...conversation, state: "building" });
    const steps: (readonly number[])[] = [];
    const onProgress = (done: number, all: number): void => void steps.push([done, all]);
    setTimeout(() => server.finishBuilding(), 700);
    const made = await provider.vectors.migrate({ dryRun: false, onProgress });
    expect(made).toContainEqual({ ...conversation, state: "ready" });
    expect(steps).toEqual([0, 1, 2, 3, 4, 5].map((done) => [done, 5]));
    expect(server.commands.filter((name) => name === "createSearchIndexes")).toHaveLength(1);
    expect(await search(provider)).toMatchObject({ method: "index", diagnostics: [] });
    expect(server.violations).toEqual([]);
  });

  test("says where there is no search, and where the principal may not", async () => {
    const plain = await startMongo();
    open.push(plain);
    const without = await mongodb({ url: plain.url });
    open.push(without);
    await fill(without);
    const states = (await without.vectors.migrate({ dryRun: false })).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["no search"]));
    const server = await startMongo({ search: true, refuseIndexUpdates: true });
    open.push(server);
    const provider = await mongodb({ url: server.url });
    open.push(provider);
    await fill(provider);
    expect(await provider.vectors.migrate({ dryRun: false })).toContainEqual({
      collection: "conversation_memory",
      state: "refused",
      dimensions: 2,
    });
  });
});
