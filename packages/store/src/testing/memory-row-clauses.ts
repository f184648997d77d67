/** @module MemoryRowClauses: stored fields of a row, its changes, and paging of lists. */
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";

import { isoTime, scopedKinds } from "@turnproof/semconv";

import type { Json, MemoryRecord, MemoryStore } from "../memory-store.ts";
import type { KitClause } from "./contract.ts";
import { draftOf, idsOf, onMemory, refuses, withoutWriting } from "./on-memory.ts";

const ann = { tenant: "ann" };
const past = "2020-01-01T00:00:00Z";
const future = "2999-01-01T00:00:00Z";

/** A structure that careless handling of keys, numbers or text would change. */
const awkward = JSON.parse(
  String.raw`{"$ne":1,"a.b":{"$where":"x"},"":"empty","__proto__":{"x":1},"constructor":null,
  "nul\u0000":"\u0000","list":[1,-2.5,1e21,[],{},"",null,true],"big":9007199254740991,
  "deep":{"deep":{"deep":{"deep":["é","é","\u2028","👩‍👩‍👧"]}}}}`,
) as { readonly [key: string]: Json };

/** Follows `next` to the end. */
export async function walkRows(
  store: MemoryStore,
  filter: Parameters<MemoryStore["list"]>[0],
  kind: Parameters<MemoryStore["list"]>[1],
  options: Parameters<MemoryStore["list"]>[2],
): Promise<MemoryRecord[][]> {
  const pages: MemoryRecord[][] = [];
  let after: string | undefined;
  for (;;) {
    const page = await store.list(filter, kind, {
      ...options,
      ...(after === undefined ? {} : { after }),
    });
    pages.push([...page.records]);
    if (page.next === null) return pages;
    if (pages.length > 2_000) throw new RangeError("the pages do not end");
    after = page.next;
  }
}

const writing: readonly KitClause[] = [
  onMemory("a row comes back as it was given", async (store) => {
    const draft = draftOf("row", {
      agent_id: "helper",
      memory_id: "m-1",
      thread_id: "t-1",
      text: "line\u0000 one\n\u2028 two \u{1f4a9}",
      embedding: [0.5, -0.25, 1, 0],
      data: awkward,
      created_at: "2026-03-01T10:00:00.123456789Z",
      expires_at: future,
    });
    const row = { ...draft, kind: "summary", user_id: "ann", version: 1 } as const;
    const put = await store.put(ann, "summary", draft);
    deepEqual(withoutWriting(put), row);
    ok(Number.isFinite(Date.parse(put.updated_at)));
    const got = await store.get(ann, "summary", "row");
    deepEqual(got, put);
    const [page] = await walkRows(store, ann, "summary", { limit: 5 });
    deepEqual(page, [put]);
  }),
  onMemory("what is absent stays absent, and an empty text is a text", async (store) => {
    await store.put({ tenant: null }, "entity", draftOf("bare", { data: {} }));
    const bare = await store.get({ tenant: null }, "entity", "bare");
    deepEqual(Object.keys(bare ?? {}).toSorted(), [
      "created_at",
      "data",
      "id",
      "kind",
      "updated_at",
      "user_id",
      "version",
    ]);
    await store.put(ann, "entity", draftOf("empty", { text: "", embedding: [] }));
    const empty = await store.get(ann, "entity", "empty");
    deepEqual([empty?.text, empty?.embedding], ["", []]);
  }),
  onMemory("a row takes the levels of the filter and refuses others", async (store) => {
    const filter = { ...ann, agentId: "helper", memoryId: "m-1", threadId: "t-1" };
    const row = await store.put(filter, "entity", draftOf("row"));
    deepEqual([row.agent_id, row.memory_id, row.thread_id], ["helper", "m-1", "t-1"]);
    await refuses(
      store.put(filter, "entity", draftOf("row", { memory_id: "m-2" })),
      "record_invalid",
    );
  }),
  onMemory("the caller owns what it gives and gets", async (store) => {
    const data = { list: [1] };
    const put = await store.put(ann, "entity", draftOf("row", { data }));
    data.list.push(2);
    (put.data["list"] as number[]).push(3);
    const got = await store.get(ann, "entity", "row");
    deepEqual(got?.data, { list: [1] });
    (got?.data["list"] as number[] | undefined)?.push(4);
    deepEqual((await store.get(ann, "entity", "row"))?.data, { list: [1] });
  }),
  onMemory("putting again replaces the row and counts its versions", async (store) => {
    await store.put(ann, "entity", draftOf("row", { text: "old", memory_id: "m-1" }));
    const second = await store.put(ann, "entity", draftOf("row", { data: { n: 2 } }));
    equal(second.version, 2);
    const got = await store.get(ann, "entity", "row");
    deepEqual([got?.text, got?.memory_id, got?.data], [undefined, undefined, { n: 2 }]);
    equal(await store.count(ann, "entity"), 1);
  }),
  onMemory("every scoped kind is a collection of its own", async (store) => {
    for (const kind of scopedKinds) {
      await store.put(ann, kind, draftOf("row", { data: { kind } }));
    }
    for (const kind of scopedKinds) {
      deepEqual((await store.get(ann, kind, "row"))?.data, { kind });
      equal(await store.count(ann, kind), 1);
    }
    await store.delete(ann, "summary", "row");
    equal(await store.count(ann, "entity"), 1);
    equal(await store.count(ann, "summary"), 0);
  }),
  onMemory("rows that are none are refused, and nothing of them stays", async (store) => {
    const put = (fields: object): Promise<unknown> =>
      store.put(ann, "entity", { ...draftOf("row"), ...fields });
    await refuses(put({ id: "" }), "identity_empty");
    for (const fields of [
      { id: "x\ud800" },
      { text: "\udfff" },
      { agent_id: "\ud800" },
      { created_at: "yesterday" },
      { created_at: "2026-13-45T99:00:00Z" },
      { expires_at: "2026-03-01" },
      { embedding: [1, Number.NaN] },
    ]) {
      await refuses(put(fields), "record_invalid");
    }
    await refuses(put({ memory_id: "" }), "identity_empty");
    await refuses(store.put(ann, "persona" as "entity", draftOf("row")), "record_invalid");
    await refuses(store.count(ann, "../entity" as "entity"), "record_invalid");
    equal(await store.count(ann, "entity"), 0);
  }),
];

const changing: readonly KitClause[] = [
  onMemory("an update needs the version that stands", async (store) => {
    const draft = draftOf("row", { text: "old", memory_id: "m-1", embedding: [1, 0] });
    const { version } = await store.put(ann, "entity", draft);
    const changed = await store.update(ann, "entity", "row", version, { data: { n: 2 } });
    equal(changed.version, version + 1);
    const old = [changed.text, changed.memory_id, changed.embedding, changed.created_at];
    deepEqual(old, ["old", "m-1", [1, 0], draft.created_at]);
    await refuses(
      store.update(ann, "entity", "row", version, { data: { n: 3 } }),
      "store_conflict",
    );
    await refuses(store.update(ann, "entity", "none", 1, { text: "x" }), "store_conflict");
    await refuses(
      store.update({ ...ann, memoryId: "m-2" }, "entity", "row", 2, { text: "x" }),
      "store_conflict",
    );
    deepEqual((await store.get(ann, "entity", "row"))?.data, { n: 2 });
  }),
  onMemory("of many updates of one version exactly one is taken", async (store) => {
    await store.put(ann, "entity", draftOf("row"));
    const tries = Array.from({ length: 8 }, (_, n) =>
      store.update(ann, "entity", "row", 1, { data: { n } }),
    );
    const answers = await Promise.allSettled(tries);
    const taken = answers.filter((answer) => answer.status === "fulfilled");
    equal(taken.length, 1);
    equal((await store.get(ann, "entity", "row"))?.version, 2);
  }),
  onMemory("writes at once all stand", async (store) => {
    const ids = Array.from({ length: 12 }, (_, i) => `row-${i}`);
    await Promise.all([
      ...ids.map((id) => store.put(ann, "entity", draftOf(id))),
      ...ids.map((id) => store.put({ tenant: null }, "entity", draftOf(id))),
      ...ids.map(() => store.put(ann, "summary", draftOf("same"))),
    ]);
    equal(await store.count(ann, "entity"), ids.length);
    equal(await store.count({ tenant: null }, "entity"), ids.length);
    equal((await store.get(ann, "summary", "same"))?.version, ids.length);
  }),
  onMemory("a deleted row is gone, once", async (store) => {
    await store.put(ann, "entity", draftOf("row", { memory_id: "m-1" }));
    equal(await store.delete({ ...ann, memoryId: "m-2" }, "entity", "row"), false);
    equal(await store.delete(ann, "entity", "row"), true);
    equal(await store.delete(ann, "entity", "row"), false);
    equal(await store.get(ann, "entity", "row"), undefined);
    equal((await store.put(ann, "entity", draftOf("row"))).version, 1);
  }),
  onMemory("after its time a row is not read, searched, counted or changed", async (store) => {
    const row = { text: "tea", embedding: [1, 0] };
    await store.put(ann, "semantic_cache", draftOf("gone", { ...row, expires_at: past }));
    await store.put(ann, "semantic_cache", draftOf("kept", { ...row, expires_at: future }));
    equal(await store.get(ann, "semantic_cache", "gone"), undefined);
    equal(await store.count(ann, "semantic_cache"), 1);
    equal(await store.delete(ann, "semantic_cache", "gone"), false);
    await refuses(
      store.update(ann, "semantic_cache", "gone", 1, { expires_at: future }),
      "store_conflict",
    );
    const seen = async (now: string): Promise<unknown> => [
      idsOf((await store.list(ann, "semantic_cache", { limit: 9, now })).records),
      (await store.vectorSearch(ann, "semantic_cache", { embedding: [1, 0], limit: 9, now })).hits
        .length,
      (await store.textSearch(ann, "semantic_cache", { text: "tea", limit: 9, now })).hits.length,
    ];
    deepEqual(await seen("2026-01-01T00:00:00Z"), [["kept"], 1, 1]);
    deepEqual(await seen("2019-12-31T23:59:59Z"), [["gone", "kept"], 2, 2]);
    deepEqual(await seen(past), [["kept"], 1, 1]);
    deepEqual(await seen("2999-06-01T00:00:00Z"), [[], 0, 0]);
  }),
];

const listing: readonly KitClause[] = [
  onMemory("a list is newest first, ties by id, whatever the digits of a time", async (store) => {
    const at = (second: string): string => `2026-03-01T10:00:${second}Z`;
    const rows: readonly [string, string][] = [
      ["b", at("01")],
      ["a", at("01.000")],
      ["c", at("01.5")],
      ["d", at("01.500000001")],
      ["e", at("00.999999999")],
      ["\ue000", at("02")],
      ["\u{10000}", at("02")],
      ["Z", at("02")],
    ];
    for (const [id, created_at] of rows) {
      await store.put(ann, "conversation", draftOf(id, { created_at }));
    }
    const pages = await walkRows(store, ann, "conversation", { limit: 3 });
    deepEqual(idsOf(pages.flat()), ["Z", "\ue000", "\u{10000}", "d", "c", "a", "b", "e"]);
    deepEqual(
      pages.map((page) => page.length),
      [3, 3, 2],
    );
  }),
  onMemory("pages neither lose nor repeat while rows come and go", async (store) => {
    const time = (n: number): string => isoTime(Date.UTC(2026, 2, 1) + n * 1000);
    for (let n = 0; n < 12; n += 1) {
      await store.put(ann, "conversation", draftOf(`row-${n}`, { created_at: time(n) }));
    }
    const seen: string[] = [];
    let page = await store.list(ann, "conversation", { limit: 5 });
    for (let n = 0; ; n += 1) {
      seen.push(...idsOf(page.records));
      if (page.next === null) break;
      await store.put(ann, "conversation", draftOf(`new-${n}`, { created_at: time(100 + n) }));
      await store.delete(ann, "conversation", page.records.at(-1)?.id ?? "");
      page = await store.list(ann, "conversation", { limit: 5, after: page.next });
    }
    deepEqual(
      seen,
      Array.from({ length: 12 }, (_, n) => `row-${11 - n}`),
    );
  }),
  onMemory("each level that is given must be equal", async (store) => {
    const levels = { agent_id: "helper", memory_id: "m-1", thread_id: "t-1" };
    await store.put(ann, "entity", draftOf("all", levels));
    await store.put(ann, "entity", draftOf("other", { ...levels, thread_id: "t-2" }));
    await store.put(ann, "entity", draftOf("none"));
    const count = (filter: object): Promise<number> => store.count({ ...ann, ...filter }, "entity");
    equal(await count({}), 3);
    equal(await count({ agentId: "helper" }), 2);
    equal(await count({ memoryId: "m-1", threadId: "t-1" }), 1);
    equal(await count({ memoryId: "M-1" }), 0);
    equal(await store.get({ ...ann, threadId: "t-2" }, "entity", "all"), undefined);
    const page = await store.list({ ...ann, threadId: "t-2" }, "entity", { limit: 9 });
    deepEqual(idsOf(page.records), ["other"]);
  }),
  onMemory("a level that is null equals only rows without it", async (store) => {
    const vector = { embedding: [1, 0], text: "word" };
    await store.put(ann, "conversation", draftOf("helper", { agent_id: "helper", ...vector }));
    await store.put({ ...ann, agentId: null }, "conversation", draftOf("none", vector));
    await store.put({ tenant: null }, "conversation", draftOf("foreign", vector));
    const filter = { ...ann, agentId: null };
    const page = await store.list(filter, "conversation", { limit: 9 });
    deepEqual(idsOf(page.records), ["none"]);
    equal(page.records[0]?.agent_id, undefined);
    equal(await store.count(filter, "conversation"), 1);
    equal(await store.get(filter, "conversation", "helper"), undefined);
    const near = await store.vectorSearch(filter, "conversation", { embedding: [1, 0], limit: 9 });
    deepEqual(idsOf(near.hits.map(({ record }) => record)), ["none"]);
    const found = await store.textSearch(filter, "conversation", { text: "word", limit: 9 });
    deepEqual(idsOf(found.hits.map(({ record }) => record)), ["none"]);
    equal(await store.delete(filter, "conversation", "helper"), false);
    await refuses(
      store.put(filter, "conversation", draftOf("other", { agent_id: "helper" })),
      "record_invalid",
    );
  }),
  onMemory("a position that is not ours is refused", async (store) => {
    await store.put(ann, "entity", draftOf("row"));
    for (const after of ["", "x", "eyJ9", Buffer.from('["a"]').toString("base64url")]) {
      await refuses(store.list(ann, "entity", { limit: 1, after }), "cursor_rejected");
    }
  }),
  onMemory("check answers and never throws, closing twice is harmless", async (store) => {
    equal((await store.check()).ok, true);
    await store.close();
    await store.close();
    const after = await store.check();
    equal(after.ok, false);
    notEqual(after.code, undefined);
    await refuses(store.put(ann, "entity", draftOf("late")), "store_closed");
    await refuses(store.shared.get("persona", "late"), "store_closed");
  }),
];

/** Clauses about single rows and lists. */
export const memoryRowClauses: readonly KitClause[] = [...writing, ...changing, ...listing];
