/** @module MemorySearchClauses: which rows a search finds, their scores and their order. */
import { deepEqual, equal, ok } from "node:assert/strict";

import type { SearchResult } from "../memory-store.ts";
import type { KitClause } from "./contract.ts";
import { draftOf, onMemory } from "./on-memory.ts";

const ann = { tenant: "ann" };

const hitsOf = (result: SearchResult): [string, number][] =>
  result.hits.map(({ record, score }) => [record.id, Math.round(score * 1e5) / 1e5]);

/** Clauses about vector search and the text fallback. */
export const memorySearchClauses: readonly KitClause[] = [
  onMemory("the nearest rows by cosine come first, scored from 0 to 1", async (store) => {
    const rows: Record<string, readonly number[]> = {
      same: [2, 0, 0],
      near: [3, 4, 0],
      across: [0, 0, 5],
      against: [-1, 0, 0],
    };
    for (const [id, embedding] of Object.entries(rows)) {
      await store.put(ann, "summary", draftOf(id, { embedding }));
    }
    const search = { embedding: [1, 0, 0], limit: 9 };
    const all = await store.vectorSearch(ann, "summary", search);
    const scored = [
      ["same", 1],
      ["near", 0.8],
      ["across", 0.5],
      ["against", 0],
    ];
    deepEqual(hitsOf(all), scored);
    equal(all.bounded, false);
    deepEqual(all.hits[1]?.record, await store.get(ann, "summary", "near"));
    deepEqual(
      hitsOf(await store.vectorSearch(ann, "summary", { ...search, minScore: 0.7, limit: 1 })),
      [["same", 1]],
    );
    deepEqual(
      hitsOf(await store.vectorSearch(ann, "summary", { ...search, minScore: 0.7 })),
      scored.slice(0, 2),
    );
  }),
  onMemory("vectors that cannot be compared are passed over", async (store) => {
    await store.put(ann, "summary", draftOf("none"));
    await store.put(ann, "summary", draftOf("zero", { embedding: [0, 0] }));
    await store.put(ann, "summary", draftOf("long", { embedding: [1, 0, 0] }));
    await store.put(ann, "summary", draftOf("empty", { embedding: [] }));
    await store.put(ann, "summary", draftOf("fits", { embedding: [0, 1] }));
    const found = async (embedding: number[]): Promise<unknown> =>
      hitsOf(await store.vectorSearch(ann, "summary", { embedding, limit: 9 }));
    deepEqual(await found([0, 1]), [["fits", 1]]);
    deepEqual(await found([0, 0]), []);
    deepEqual(await found([]), []);
    deepEqual(await found([1, 0, 0, 0]), []);
  }),
  onMemory("equal scores stand by newest, then by id, before the limit cuts", async (store) => {
    for (const [n, id] of ["b", "d", "a", "c"].entries()) {
      const created_at = `2026-03-01T10:00:0${n < 2 ? 1 : 2}Z`;
      await store.put(
        ann,
        "semantic_cache",
        draftOf(id, { created_at, embedding: [1, 1], text: "green tea" }),
      );
    }
    const vector = { embedding: [1, 1], limit: 3 };
    const near = await store.vectorSearch(ann, "semantic_cache", vector);
    deepEqual(hitsOf(near), [
      ["a", 1],
      ["c", 1],
      ["b", 1],
    ]);
    const text = await store.textSearch(ann, "semantic_cache", { text: "tea", limit: 3 });
    deepEqual(hitsOf(text), hitsOf(near));
  }),
  onMemory("the text fallback scores the share of the query's words", async (store) => {
    const texts: Record<string, string> = {
      both: "Green TEA, please",
      one: "tea",
      fold: "ＧＲＥＥＮ",
      other: "teapot greenish",
      signs: "100% $ne .* tea_green",
    };
    for (const [id, text] of Object.entries(texts)) {
      await store.put(ann, "entity", draftOf(id, { text }));
    }
    await store.put(ann, "entity", draftOf("silent"));
    const found = async (text: string): Promise<unknown> =>
      hitsOf(await store.textSearch(ann, "entity", { text, limit: 9 }));
    deepEqual(await found("green tea"), [
      ["both", 1],
      ["signs", 1],
      ["fold", 0.5],
      ["one", 0.5],
    ]);
    deepEqual(await found("%"), []);
    deepEqual(await found(".*"), []);
    deepEqual(await found("'; DROP TABLE x; --"), []);
    deepEqual(await found(""), []);
    deepEqual(await found("100"), [["signs", 1]]);
  }),
  onMemory("a search keeps the levels of its filter", async (store) => {
    const row = { embedding: [1, 0], text: "tea" };
    await store.put(ann, "entity", draftOf("in", { ...row, memory_id: "m-1" }));
    await store.put(ann, "entity", draftOf("out", { ...row, memory_id: "m-2" }));
    const filter = { ...ann, memoryId: "m-1" };
    const vector = await store.vectorSearch(filter, "entity", { embedding: [1, 0], limit: 9 });
    const text = await store.textSearch(filter, "entity", { text: "tea", limit: 9 });
    deepEqual([hitsOf(vector), hitsOf(text)], [[["in", 1]], [["in", 1]]]);
  }),
  onMemory("a small tenant among a large one is found as by exact search", async (store) => {
    const near = (n: number): number[] => [1, n / 1000, (n % 7) / 100, 0.01];
    const large = Array.from({ length: 200 }, (_, n) => n);
    for (const n of large) {
      await store.put({ tenant: "large" }, "summary", draftOf(`l${n}`, { embedding: near(n) }));
    }
    for (let n = 0; n < 12; n += 1) {
      const embedding = [0.2, 1, n / 10, 0];
      await store.put(ann, "summary", draftOf(`s${n}`, { embedding }));
    }
    const found = await store.vectorSearch(ann, "summary", { embedding: [1, 0, 0, 0], limit: 10 });
    equal(found.hits.length, 10);
    ok(found.hits.every(({ record }) => record.user_id === "ann"));
    deepEqual(
      found.hits.map(({ record }) => record.id),
      Array.from({ length: 10 }, (_, n) => `s${n}`),
    );
  }),
];
