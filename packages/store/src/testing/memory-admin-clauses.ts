/**
 * @module MemoryAdminClauses: unscoped access, for operators (requirements: Scope hierarchy 4).
 */
import { deepEqual, equal } from "node:assert/strict";

import type { ScopedKind, TenantFilter } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import type { AdminFilter } from "../memory-admin.ts";
import type { AdministeredMemory } from "../provider.ts";
import type { KitClause } from "./contract.ts";
import { draftOf, onMemory, refuses } from "./on-memory.ts";

const ann = { tenant: "ann" };
const anonymous = { tenant: null };

async function rowsOf(
  store: AdministeredMemory,
  filter: AdminFilter,
  kind: ScopedKind,
): Promise<[string | null, string][]> {
  const rows: [string | null, string][] = [];
  for await (const row of store.admin.rows(filter, kind)) rows.push([row.user_id, row.id]);
  return rows;
}

/** Clauses about `store.admin`. */
export const memoryAdminClauses: readonly KitClause[] = [
  onMemory("admin: all tenants, the anonymous and one tenant are three filters", async (store) => {
    await store.put(ann, "entity", draftOf("a"));
    await store.put({ tenant: "bob" }, "entity", draftOf("a"));
    await store.put(anonymous, "entity", draftOf("a"));
    await store.put(ann, "entity", draftOf("old", { expires_at: "2020-01-01T00:00:00Z" }));
    await store.put(ann, "entity", draftOf("new", { created_at: "2026-05-01T00:00:00Z" }));
    deepEqual(await rowsOf(store, unscoped, "entity"), [
      ["ann", "new"],
      [null, "a"],
      ["ann", "a"],
      ["bob", "a"],
      ["ann", "old"],
    ]);
    deepEqual(await rowsOf(store, anonymous, "entity"), [[null, "a"]]);
    equal((await rowsOf(store, ann, "entity")).length, 3);
    equal(await store.admin.count(unscoped, "entity"), 5);
    equal(await store.admin.count(anonymous, "entity"), 1);
    equal(await store.admin.count(ann, "entity"), 3);
    equal(await store.admin.count(ann, "summary"), 0);
  }),
  onMemory("admin: deleting a tenant takes its rows of one kind and no other", async (store) => {
    for (const filter of [ann, { tenant: "bob" }, anonymous]) {
      for (const kind of ["entity", "summary"] as const) {
        await store.put(filter, kind, draftOf("a"));
        await store.put(filter, kind, draftOf("b", { expires_at: "2020-01-01T00:00:00Z" }));
      }
    }
    equal(await store.admin.deleteTenant(ann, "entity"), 2);
    equal(await store.admin.deleteTenant(ann, "entity"), 0);
    equal(await store.admin.count(unscoped, "entity"), 4);
    equal(await store.admin.count(ann, "summary"), 2);
    equal(await store.admin.deleteTenant(anonymous, "entity"), 2);
    deepEqual(await rowsOf(store, unscoped, "entity"), [
      ["bob", "a"],
      ["bob", "b"],
    ]);
    await refuses(store.admin.deleteTenant({ tenant: "" }, "entity"), "identity_empty");
    const none = {} as TenantFilter;
    await refuses(store.admin.deleteTenant(none, "entity"), "identity_missing");
  }),
  onMemory("admin: legacy entities of one memory move into one user, once", async (store) => {
    const legacy = draftOf("a", { memory_id: "m-1", text: "kept", embedding: [1, 0] });
    await store.put(anonymous, "entity", legacy);
    await store.put(anonymous, "entity", draftOf("b", { memory_id: "m-1" }));
    await store.put(anonymous, "entity", draftOf("c", { memory_id: "M-1" }));
    await store.put(anonymous, "entity", draftOf("d"));
    await store.put(anonymous, "summary", draftOf("a", { memory_id: "m-1" }));
    await store.put(ann, "entity", draftOf("b", { memory_id: "m-1", data: { own: true } }));
    await store.put({ tenant: "bob" }, "entity", draftOf("a", { memory_id: "m-1" }));
    const migrate = { memoryId: "m-1", userId: "ann" };
    equal(await store.admin.migrateLegacyEntities(migrate), 1);
    const moved = await store.get(ann, "entity", "a");
    deepEqual([moved?.text, moved?.embedding, moved?.version], ["kept", [1, 0], 2]);
    deepEqual((await store.get(ann, "entity", "b"))?.data, { own: true });
    equal(await store.get(anonymous, "entity", "a"), undefined);
    equal(await store.count(anonymous, "entity"), 3);
    equal(await store.count(anonymous, "summary"), 1);
    equal((await store.get({ tenant: "bob" }, "entity", "a"))?.version, 1);
    equal(await store.admin.migrateLegacyEntities(migrate), 0);
    const found = await store.vectorSearch(ann, "entity", { embedding: [1, 0], limit: 9 });
    equal(found.hits.length, 1);
    const bad = (memoryId: unknown, userId: unknown): Promise<number> =>
      store.admin.migrateLegacyEntities({ memoryId, userId } as typeof migrate);
    await refuses(bad("", "ann"), "identity_empty");
    await refuses(bad("m-1", ""), "identity_empty");
    await refuses(bad(undefined, "ann"), "identity_missing");
    await refuses(bad("m-1", null), "identity_missing");
    await refuses(bad({ $ne: null }, "ann"), "record_invalid");
  }),
];
