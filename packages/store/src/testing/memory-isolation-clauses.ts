/**
 * @module MemoryIsolationClauses: no row of another tenant is ever returned, changed or counted
 * (requirements: Scope hierarchy 1 to 3; faults T3, T7). Random histories run on the provider and
 * on the reference. These clauses cannot be exempted.
 */
import { deepEqual, equal } from "node:assert/strict";

import type { ScopedKind } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import { ephemeralMemory } from "../memory/ephemeral-memory.ts";
import type { MemoryFilter } from "../memory-store.ts";
import type { AdministeredMemory } from "../provider.ts";
import type { KitClause, Harness } from "./contract.ts";
import { hostileNames } from "./hostile.ts";
import { insideScope, sameAnswer } from "./memory-answer.ts";
import { draftOf, onMemory, refuses } from "./on-memory.ts";
import { memoryHistories } from "./random-memory.ts";
import type { MemoryCommand } from "./random-memory.ts";
import { holdsForEvery } from "./random-runs.ts";

/** Commands on memory are cheap: this many per command of the kit's effort. */
const commandsPerStep = 6;

async function runHistory(history: readonly MemoryCommand[], harness: Harness): Promise<void> {
  const store = await harness.openMemory();
  const reference = ephemeralMemory();
  try {
    for (const command of history) await sameAnswer(store, reference, command);
  } finally {
    await store.close();
  }
}

/** Every method that takes a filter, on one row. */
const calls: readonly ((
  store: AdministeredMemory,
  filter: MemoryFilter,
  kind: ScopedKind,
) => Promise<unknown>)[] = [
  (store, filter, kind) => store.put(filter, kind, draftOf("row")),
  (store, filter, kind) => store.get(filter, kind, "row"),
  (store, filter, kind) => store.list(filter, kind, { limit: 9 }),
  (store, filter, kind) => store.count(filter, kind),
  (store, filter, kind) => store.update(filter, kind, "row", 1, { text: "x" }),
  (store, filter, kind) => store.delete(filter, kind, "row"),
  (store, filter, kind) => store.vectorSearch(filter, kind, { embedding: [1], limit: 9 }),
  (store, filter, kind) => store.textSearch(filter, kind, { text: "tea", limit: 9 }),
];

const isolation: readonly KitClause[] = [
  {
    name: "random commands answer as in the reference, inside their scope",
    async run(harness) {
      const drawn = memoryHistories(harness.effort.commands * commandsPerStep);
      await holdsForEvery(drawn, (history) => runHistory(history, harness), harness.effort);
    },
  },
  onMemory("hostile tenants hold rows of one id and stay apart", async (store) => {
    const row = { text: "tea", embedding: [1, 0], memory_id: "m" };
    const tenants = [...hostileNames, null];
    for (const [n, tenant] of tenants.entries()) {
      await store.put({ tenant }, "entity", draftOf("row", { ...row, data: { n } }));
    }
    for (const [n, tenant] of tenants.entries()) {
      const filter = { tenant };
      const near = await store.vectorSearch(filter, "entity", { embedding: [1, 0], limit: 9 });
      const words = await store.textSearch(filter, "entity", { text: "tea", limit: 9 });
      const got = await store.get(filter, "entity", "row");
      const lists = [
        (await store.list(filter, "entity", { limit: 9 })).records,
        (await store.list({ ...filter, memoryId: "m" }, "entity", { limit: 9 })).records,
        near.hits.map((hit) => hit.record),
        words.hits.map((hit) => hit.record),
        got === undefined ? [] : [got],
      ];
      for (const records of lists) {
        insideScope(records, filter);
        deepEqual(
          records.map((record) => record.data),
          [{ n }],
        );
      }
      equal(await store.count(filter, "entity"), 1);
    }
    equal(await store.admin.count(unscoped, "entity"), tenants.length);
    for (const tenant of tenants.slice(0, 8)) {
      equal(await store.admin.deleteTenant({ tenant }, "entity"), 1);
    }
    equal(await store.admin.count(unscoped, "entity"), tenants.length - 8);
  }),
  onMemory("hostile ids of one tenant are rows of their own", async (store) => {
    const filter = { tenant: "../ann" };
    for (const [n, id] of hostileNames.entries()) {
      await store.put(filter, "tool_log", draftOf(id, { data: { n } }));
    }
    for (const [n, id] of hostileNames.entries()) {
      deepEqual((await store.get(filter, "tool_log", id))?.data, { n });
      equal(await store.get({ tenant: "ann" }, "tool_log", id), undefined);
    }
    for (const id of ["", "x\ud800", "\ud800", "nobody", "%", "*", ".*"]) {
      equal(await store.get(filter, "tool_log", id), undefined);
      equal(await store.delete(filter, "tool_log", id), false);
    }
    equal(await store.count(filter, "tool_log"), hostileNames.length);
    for (const id of hostileNames) equal(await store.delete(filter, "tool_log", id), true);
    equal(await store.admin.count(unscoped, "tool_log"), 0);
  }),
  onMemory("tenant, memory and id never run together", async (store) => {
    const pairs = [
      ["a", "bc"],
      ["ab", "c"],
      ["a", "b,c"],
      ["a,b", "c"],
      ["a\u0000b", "c"],
      ["a", "b\u0000c"],
      ["a/b", "c"],
      ["a", "b/c"],
      ['a","b', "c"],
      ["a", 'b","c'],
    ] as const;
    for (const [n, [tenant, id]] of pairs.entries()) {
      await store.put({ tenant, memoryId: id }, "entity", draftOf(id, { data: { n } }));
    }
    for (const [n, [tenant, id]] of pairs.entries()) {
      deepEqual((await store.get({ tenant }, "entity", id))?.data, { n });
      equal(await store.count({ tenant, memoryId: id }, "entity"), 1);
    }
    equal(await store.admin.count(unscoped, "entity"), pairs.length);
  }),
  onMemory("anonymous rows equal only the anonymous scope", async (store) => {
    await store.put({ tenant: null }, "semantic_cache", draftOf("legacy", { text: "tea" }));
    for (const tenant of ["null", "undefined", "anonymous", "None", "NULL", " ", "0"]) {
      equal(await store.get({ tenant }, "semantic_cache", "legacy"), undefined);
      equal(await store.count({ tenant }, "semantic_cache"), 0);
      deepEqual((await store.list({ tenant }, "semantic_cache", { limit: 9 })).records, []);
      await store.put({ tenant }, "semantic_cache", draftOf("own", { text: "tea" }));
    }
    equal(await store.count({ tenant: null }, "semantic_cache"), 1);
    const found = await store.textSearch({ tenant: null }, "semantic_cache", {
      text: "tea",
      limit: 9,
    });
    deepEqual(
      found.hits.map((hit) => hit.record.id),
      ["legacy"],
    );
  }),
  onMemory("a foreign row is not changed, deleted or replaced", async (store) => {
    await store.put({ tenant: "ann" }, "entity", draftOf("row", { text: "hers" }));
    for (const tenant of ["bob", "Ann", "ann ", null]) {
      await refuses(
        store.update({ tenant }, "entity", "row", 1, { text: "his" }),
        "store_conflict",
      );
      equal(await store.delete({ tenant }, "entity", "row"), false);
      await store.put({ tenant }, "entity", draftOf("row", { text: "his" }));
      await store.update({ tenant }, "entity", "row", 1, { text: "still his" });
      equal(await store.delete({ tenant }, "entity", "row"), true);
    }
    const row = await store.get({ tenant: "ann" }, "entity", "row");
    deepEqual([row?.text, row?.version], ["hers", 1]);
  }),
  onMemory("no method takes a filter that could mean more than one tenant", async (store) => {
    await store.put({ tenant: "ann" }, "entity", draftOf("row", { text: "tea", embedding: [1] }));
    const wrong: readonly [unknown, "identity_missing" | "identity_empty" | "record_invalid"][] = [
      [undefined, "identity_missing"],
      [{}, "identity_missing"],
      [{ tenant: undefined }, "identity_missing"],
      [{ memoryId: "m" }, "identity_missing"],
      [{ tenant: "" }, "identity_empty"],
      [{ tenant: "ann", threadId: "" }, "identity_empty"],
      [{ tenant: { $ne: null } }, "record_invalid"],
      [{ tenant: ["ann"] }, "record_invalid"],
      [{ tenant: 0 }, "record_invalid"],
      [{ tenant: "ann", memoryId: { $exists: false } }, "record_invalid"],
      [{ tenant: "ann", memoryId: 0 }, "record_invalid"],
      [{ tenant: "\ud800" }, "record_invalid"],
    ];
    for (const [filter, code] of wrong) {
      for (const call of calls) await refuses(call(store, filter as MemoryFilter, "entity"), code);
    }
    equal((await store.get({ tenant: "ann" }, "entity", "row"))?.version, 1);
  }),
];

/** All clauses about the scope of memory. */
export const memoryIsolationClauses: readonly KitClause[] = isolation.map((clause) => ({
  ...clause,
  isolation: true,
}));
