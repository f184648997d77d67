/**
 * @module OperatorClauses: rows that operators write: versions, owners, and the end of their turns.
 */
import { deepEqual, equal, rejects } from "node:assert/strict";

import { deleteUserEvidence } from "../erasure.ts";
import { tenantText } from "../ledger/turn-fields.ts";
import { subjectOf } from "../operator-rows.ts";
import type { OperatorRow, OperatorRows } from "../operator-rows.ts";
import type { KitClause } from "./contract.ts";
import { hostileIds } from "./hostile.ts";
import { onStore } from "./on-store.ts";
import { sampleTurn } from "./sample-event.ts";

const ann = tenantText("ann");

/** A note on the turn of a root. */
export function sampleNote(id: string, fields: Partial<OperatorRow> = {}): OperatorRow {
  return {
    kind: "note",
    tenant: ann,
    place: "root-1",
    id,
    subject: "key",
    version: 1,
    created_at: "2026-03-01T10:00:00.000Z",
    value: JSON.stringify({ text: `the text of ${id}` }),
    ...fields,
  };
}

async function idsOf(
  rows: OperatorRows,
  tenants: readonly string[],
  { kind, place }: Pick<OperatorRow, "kind" | "place"> = { kind: "note", place: "root-1" },
): Promise<readonly string[]> {
  return (await rows.list(kind, tenants, place)).map(({ id }) => id);
}

/** Clauses about single rows. */
export const operatorClauses: readonly KitClause[] = [
  onStore("a row of an operator is read as written, oldest first", async ({ operatorRows }) => {
    const late = sampleNote("a", { created_at: "2026-03-01T11:00:00.000Z" });
    const odd = sampleNote("b", {
      value: '{"text":"\\u0000 \\"quoted\\" \u0434 \ud83d\ude00 \\\\"}',
    });
    const view = sampleNote("v", { kind: "view", place: "turns", subject: "" });
    for (const row of [late, odd, view]) equal(await operatorRows.write(row), true);
    deepEqual(await operatorRows.list("note", [ann], "root-1"), [odd, late]);
    deepEqual(await operatorRows.list("view", [ann], "turns"), [view]);
    deepEqual(await operatorRows.list("note", [], "root-1"), []);
    deepEqual(await operatorRows.list("note", [ann], "root"), []);
  }),
  onStore("of two changes of one version the later changes nothing", async ({ operatorRows }) => {
    const first = sampleNote("a");
    const second = { ...first, version: 2, value: '{"text":"second"}' };
    equal(await operatorRows.write({ ...second, id: "none" }), false);
    equal(await operatorRows.write(first), true);
    equal(await operatorRows.write({ ...first, value: '{"text":"again"}' }), false);
    equal(await operatorRows.write(second), true);
    equal(await operatorRows.write({ ...second, value: '{"text":"late"}' }), false);
    equal(await operatorRows.remove(first), false);
    deepEqual(await operatorRows.list("note", [ann], "root-1"), [second]);
    equal(await operatorRows.remove(second), true);
    equal(await operatorRows.remove(second), false);
    deepEqual(await operatorRows.list("note", [ann], "root-1"), []);
    equal(await operatorRows.write({ ...second, version: 3 }), false);
  }),
  onStore("changes at one moment: one of them stands", async ({ operatorRows }) => {
    await operatorRows.write(sampleNote("a"));
    const values = ["x", "y", "z"].map((text) => JSON.stringify({ text }));
    const changes = values.map((value) => sampleNote("a", { version: 2, value }));
    const done = await Promise.all(changes.map((row) => operatorRows.write(row)));
    equal(done.filter(Boolean).length, 1);
    const [held] = await operatorRows.list("note", [ann], "root-1");
    equal(held?.value, values[done.indexOf(true)]);
  }),
];

/** Clauses of a provider that can delete a user. */
export const operatorErasureClauses: readonly KitClause[] = [
  onStore("a deletion of a user takes the user's rows", async (store, put) => {
    const { operatorRows } = store;
    await put(1, sampleTurn("root-1", { user_id: "ann" }));
    await put(2, sampleTurn("root-2", { user_id: "bob" }));
    const bob = tenantText("bob");
    const view = { kind: "view", place: "turns", tenant: "all" } as const;
    const rows = [
      sampleNote("hers"),
      sampleNote("his", { tenant: bob, place: "root-2", value: '{"text":"as for ann"}' }),
      sampleNote("v-her", { ...view, subject: subjectOf(["bob", "ann"]) }),
      sampleNote("v-his", { ...view, subject: subjectOf(["bob", "ann2"]) }),
      sampleNote("v-all", { ...view, subject: subjectOf([]) }),
    ];
    for (const row of rows) equal(await operatorRows.write(row), true);
    const dry = await deleteUserEvidence(store, { userId: "ann" });
    deepEqual([dry.found, dry.deleted], [5, 0]);
    equal((await idsOf(operatorRows, [ann])).length, 1);
    const done = await deleteUserEvidence(store, { userId: "ann", dryRun: false });
    deepEqual([done.found, done.deleted, done.complete], [5, 5, true]);
    deepEqual(await idsOf(operatorRows, [ann]), []);
    const elsewhere = { kind: "note", place: "root-2" } as const;
    deepEqual(await idsOf(operatorRows, [bob], elsewhere), ["his"]);
    deepEqual(await idsOf(operatorRows, ["all"], view), ["v-all", "v-his"]);
    equal((await deleteUserEvidence(store, { userId: "ann" })).found, 0);
  }),
];

/** No tenant reads, changes or deletes the row of another. */
export const operatorIsolationClauses: readonly KitClause[] = [
  {
    ...onStore("no tenant reaches what another's operators wrote", async ({ operatorRows }) => {
      const owners = hostileIds.filter((id) => id.isWellFormed()).map((id) => tenantText(id));
      for (const [at, tenant] of owners.entries()) {
        equal(await operatorRows.write(sampleNote(`n-${at}`, { tenant })), true);
      }
      for (const [at, tenant] of owners.entries()) {
        deepEqual(await idsOf(operatorRows, [tenant]), [`n-${at}`]);
        const other = sampleNote(`n-${(at + 1) % owners.length}`, { tenant });
        equal(await operatorRows.write({ ...other, version: 2 }), false);
        equal(await operatorRows.write(other), false);
        equal(await operatorRows.remove(other), false);
        equal(await operatorRows.remove({ ...sampleNote(`n-${at}`), tenant, kind: "view" }), false);
      }
      equal((await idsOf(operatorRows, owners)).length, owners.length);
      // Text that a provider would change could become another tenant's name.
      const broken = sampleNote("broken", { tenant: "id:\ud800" });
      await rejects(operatorRows.write(broken), { code: "record_invalid" });
      deepEqual(await idsOf(operatorRows, ["id:\ud800", "id:\ufffd"]), []);
    }),
    isolation: true,
  },
];
