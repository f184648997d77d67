/**
 * @module Recall under a tenant's filter with pgvector (faults T6): a small tenant among twenty
 * thousand rows is found as by exact search, with the index and without; row security in PGlite.
 */
import { ephemeralMemory, postgres } from "@turnproof/store";
import type { PostgresProvider, SearchResult } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import type { EmptiedPostgres } from "./embedded-postgres.ts";
import { watchedEmbedded } from "./statement-postgres.ts";

const dimensions = 8;
const largeRows = Number(process.env["RECALL_ROWS"] ?? 20_000);
const smallRows = 20;

let embedded: EmptiedPostgres;
let exact: PostgresProvider;
beforeAll(async () => {
  embedded = await startEmbeddedPostgres();
  exact = await embedded.open();
  await fill("large", largeRows);
  await fill("small", smallRows);
}, 120_000);
afterAll(() => embedded.engine.close());

/** Vectors of each tenant, in the order of their ids. */
const held = new Map<string, readonly (readonly number[])[]>();

/** Numbers in [-1, 1) that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
}

/** Random rows of a tenant, the same in every run, in one statement: a put each takes minutes. */
async function fill(tenant: string, rows: number): Promise<void> {
  const numbers = randomNumbers(rows);
  const vectors = Array.from({ length: rows }, () =>
    Array.from({ length: dimensions }, () => numbers()),
  );
  held.set(tenant, vectors);
  await embedded.engine.query(
    `INSERT INTO conversation_memory
    (id, user_id, embedding, embedding_vector, data, created_at, created_key, updated_at)
SELECT $1 || n, $1, translate(v, '[]', '{}')::float8[], l2_normalize(v::vector), '{}',
    '2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000000000', '2026-03-01T10:00:00Z'
FROM json_array_elements_text($2::text::json) WITH ORDINALITY AS e(v, n)`,
    [tenant, JSON.stringify(vectors)],
  );
}

const queries = Array.from({ length: 6 }, (_, i) =>
  Array.from({ length: dimensions }, (__, j) => Math.sin(i * 7 + j * 3 + 1)),
);

/** Ids by comparing every row of the tenant here. */
function bruteForce(tenant: string, query: readonly number[], limit: number): string[] {
  const scored = (held.get(tenant) ?? []).map((vector, i) => {
    const dot = vector.reduce((sum, n, at) => sum + n * (query[at] ?? 0), 0);
    return { id: `${tenant}${i + 1}`, score: dot / Math.hypot(...vector) };
  });
  return scored
    .toSorted((x, y) => y.score - x.score)
    .slice(0, limit)
    .map(({ id }) => id);
}

async function recallOf(
  store: PostgresProvider,
  tenant: string,
  limit: number,
): Promise<{ recall: number; methods: Set<string> }> {
  let found = 0;
  const methods = new Set<string>();
  for (const embedding of queries) {
    const query = { embedding, limit };
    const { hits, method } = await store.memory.vectorSearch({ tenant }, "conversation", query);
    const wanted = new Set(bruteForce(tenant, embedding, limit));
    expect(hits).toHaveLength(limit);
    for (const { record } of hits) {
      expect(record.user_id).toBe(tenant);
      if (wanted.has(record.id)) found += 1;
    }
    methods.add(method);
  }
  return { recall: found / (queries.length * limit), methods };
}

test("without an index every row of the tenant is compared", async () => {
  for (const tenant of ["small", "large"]) {
    expect(await recallOf(exact, tenant, 10)).toEqual({ recall: 1, methods: new Set(["exact"]) });
  }
});

test("with an index a small tenant is found as by exact search, a large one nearly so", async () => {
  expect(await exact.makeVectorIndex("conversation", dimensions)).toBe(true);
  await embedded.engine.exec("ANALYZE conversation_memory");
  // What a filter over the bare index does: the reason for all of this.
  const bare = await embedded.engine.transaction(async (inner) => {
    await inner.exec("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off");
    await inner.exec("SET LOCAL enable_sort = off");
    const { rows } = await inner.query(
      `SELECT id FROM conversation_memory
WHERE user_id = 'small' AND embedding_vector IS NOT NULL AND vector_dims(embedding_vector) = 8
ORDER BY embedding_vector::vector(8) <=> $1::text::vector(8) LIMIT 10`,
      [JSON.stringify(queries[0])],
    );
    return rows.length;
  });
  expect(bare).toBeLessThan(10);
  expect(await recallOf(exact, "small", 10)).toEqual({ recall: 1, methods: new Set(["exact"]) });
  const statements: string[] = [];
  const see = (sql: string): void => void statements.push(sql);
  const client = watchedEmbedded(embedded.engine, { see });
  const large = await recallOf(await postgres({ client, exactRowsMax: 5_000 }), "large", 10);
  expect(large.methods).toEqual(new Set(["index"]));
  expect(large.recall).toBeGreaterThan(0.9);
  expect(statements.filter((sql) => sql.includes("hnsw.iterative_scan")).length).toBeGreaterThan(0);
});

test("even a tenant that is small for the index loses nothing to it", async () => {
  // Every tenant above five rows goes by the index here: too few candidates must be noticed.
  const client = embedded.engine;
  const store = await postgres({ client, exactRowsMax: 5 });
  const small = await recallOf(store, "small", 10);
  expect(small.recall).toBe(1);
});

test("rows that pgvector cannot hold are compared as in the reference", async () => {
  const filter = { tenant: "odd" };
  const vectors = {
    huge: [1e300, 0],
    tiny: [1e-300, 0],
    small: [1e-30, 1e-31],
    zero: [0, 0],
    plain: [1, 0.001],
    none: [],
    long: Array.from({ length: 16_001 }, (_, i) => i % 7),
  };
  const reference = ephemeralMemory();
  for (const [id, embedding] of Object.entries(vectors)) {
    const draft = { id, embedding, data: {}, created_at: "2026-03-01T10:00:00Z" };
    await exact.memory.put(filter, "conversation", draft);
    await reference.put(filter, "conversation", draft);
  }
  for (const embedding of [[1, 0], [-1e-20, 1e-20], [1e200, 1], [0, 0], [], vectors.long]) {
    const query = { embedding, limit: 9 };
    const shown = (result: SearchResult): unknown =>
      result.hits.map(({ record, score }) => [record.id, score, record.embedding]);
    const ours = await exact.memory.vectorSearch(filter, "conversation", query);
    const wanted = await reference.vectorSearch(filter, "conversation", query);
    expect(shown(ours)).toEqual(shown(wanted));
  }
});

test("row security has three states in PGlite as on a server", async () => {
  const { engine } = embedded;
  await exact.installRowSecurity();
  await engine.exec("CREATE ROLE app; GRANT ALL ON ALL TABLES IN SCHEMA public TO app;");
  await expect(postgres({ client: engine, rowSecurity: true })).rejects.toMatchObject({
    code: "config_invalid",
  });
  await engine.exec("SET ROLE app");
  const { memory } = await postgres({ client: engine, rowSecurity: true });
  const draft = { id: "one", embedding: [1, 2], data: {}, created_at: "2026-03-01T10:00:00Z" };
  for (const tenant of ["ann", null]) await memory.put({ tenant }, "entity", draft);
  expect((await engine.query("SELECT * FROM entity_memory")).rows).toEqual([]);
  for (const tenant of ["ann", null]) {
    expect(await memory.count({ tenant }, "entity")).toBe(1);
    const near = await memory.vectorSearch({ tenant }, "entity", { embedding: [1, 2], limit: 9 });
    expect(near.hits.map(({ record }) => record.user_id)).toEqual([tenant]);
  }
  await engine.exec("RESET ROLE");
});
