/** @module MemorySharedClauses: kinds without a tenant (requirements: Scope hierarchy 5). */
import { deepEqual, equal, ok } from "node:assert/strict";

import { sharedKinds } from "@turnproof/semconv";

import type { KitClause } from "./contract.ts";
import { hostileNames } from "./hostile.ts";
import { draftOf, idsOf, onMemory, refuses, withoutWriting } from "./on-memory.ts";

/** Clauses about `store.shared`. */
export const memorySharedClauses: readonly KitClause[] = [
  onMemory("shared: a row comes back as it was given, and no tenant owns it", async (store) => {
    const draft = { ...draftOf("row", { data: { $set: { "a.b": ["\u0000"] } } }), text: "how" };
    const put = await store.shared.put("persona", { ...draft, embedding: [1, 0.5] });
    const row = { ...draft, embedding: [1, 0.5], kind: "persona", version: 1 } as const;
    deepEqual(withoutWriting(put), row);
    deepEqual(await store.shared.get("persona", "row"), put);
    ok(!("user_id" in put));
    equal(await store.shared.get("skill", "row"), undefined);
  }),
  onMemory("shared: put replaces, update needs the version, delete is once", async (store) => {
    const { shared } = store;
    await shared.put("skill", { ...draftOf("row"), text: "old" });
    equal((await shared.put("skill", { ...draftOf("row"), text: "new" })).version, 2);
    const changed = await shared.update("skill", "row", 2, { n: 3 });
    deepEqual([changed.version, changed.text, changed.data], [3, "new", { n: 3 }]);
    await refuses(shared.update("skill", "row", 2, {}), "store_conflict");
    await refuses(shared.update("skill", "none", 1, {}), "store_conflict");
    equal(await shared.delete("skill", "row"), true);
    equal(await shared.delete("skill", "row"), false);
  }),
  onMemory("shared: kinds stay apart and lists go on, newest first", async (store) => {
    const { shared } = store;
    for (const kind of sharedKinds) await shared.put(kind, draftOf("row", { data: { kind } }));
    for (const kind of sharedKinds) {
      deepEqual((await shared.get(kind, "row"))?.data, { kind });
    }
    for (let n = 0; n < 5; n += 1) {
      await shared.put(
        "automation",
        draftOf(`n${n}`, { created_at: `2026-04-0${n + 1}T00:00:00Z` }),
      );
    }
    const first = await shared.list("automation", { limit: 4 });
    const second = await shared.list("automation", { limit: 4, after: first.next ?? "" });
    deepEqual(idsOf([...first.records, ...second.records]), ["n4", "n3", "n2", "n1", "n0", "row"]);
    equal(second.next, null);
  }),
  onMemory("shared: hostile ids are ids, and an empty one is an error", async (store) => {
    const { shared } = store;
    for (const [n, id] of hostileNames.entries()) {
      await shared.put("shared_memory", draftOf(id, { data: { n } }));
    }
    for (const [n, id] of hostileNames.entries()) {
      deepEqual((await shared.get("shared_memory", id))?.data, { n });
    }
    const page = await shared.list("shared_memory", { limit: hostileNames.length + 1 });
    deepEqual(new Set(idsOf(page.records)), new Set(hostileNames));
    await refuses(shared.put("shared_memory", draftOf("")), "identity_empty");
    await refuses(shared.put("shared_memory", draftOf("\ud800")), "record_invalid");
    await refuses(shared.put("entity" as "persona", draftOf("row")), "record_invalid");
    equal(await shared.get("shared_memory", ""), undefined);
  }),
];
