/**
 * @module CapabilityClauses: a clause for each capability of the provider table. Each holds a store
 * to what it declares, and to what it does not.
 */
import { deepEqual, equal, rejects } from "node:assert/strict";

import type { PreparedBatch } from "@turnproof/evidence";

import { RowPreparer } from "../bundle/prepared-rows.ts";
import { prepareBatch } from "../clickhouse/prepared-batch.ts";
import type { Capability } from "../providers.ts";
import type { KitClause, Harness } from "./contract.ts";
import { operatorErasureClauses, sampleNote } from "./operator-clauses.ts";
import { allTenants, receivedAt, sampleTurn } from "./sample-event.ts";

const batch = { batchId: "batch 1", receivedAt: receivedAt(1), events: sampleTurn("root-1", {}) };

const note = sampleNote("note");

/** What a capability means. @param declared whether the opened store has it */
type Meaning = (harness: Harness, declared: boolean) => Promise<void>;

async function takesPrepared(
  harness: Harness,
  declared: boolean,
  prepared: PreparedBatch,
): Promise<void> {
  await using store = await harness.open();
  if (declared) {
    await store.appendPrepared(prepared);
    await store.appendPrepared(prepared);
  } else {
    await rejects(() => store.appendPrepared(prepared), { code: "store_rejected_row" });
  }
  // The same batch as events: stored once, whichever form came first.
  await store.append(batch);
  await harness.settle(store);
  const { events, sourceRows } = await store.root(allTenants, "root-1", { limit: 9 });
  deepEqual([events.length, sourceRows], [size, size]);
  const held = await store.readBack(batch.batchId, batch.receivedAt);
  deepEqual(held, { rows: size, complete: true });
}

const meanings: Readonly<Record<Capability, Meaning>> = {
  async evidence(harness, declared) {
    await using store = await harness.open();
    equal((await store.check()).ok, declared);
  },

  async memory(harness, declared) {
    if (!declared) return rejects(async () => harness.openMemory());
    await using memory = await harness.openMemory();
    equal((await memory.check()).ok, true);
  },

  async durable(harness, declared) {
    if (harness.lasting === undefined) throw new RangeError('this clause needs "lasting"');
    const open = await harness.lasting();
    {
      await using store = await open();
      await store.append(batch);
      await harness.settle(store);
      equal((await store.root(allTenants, "root-1", { limit: 9 })).events.length, size);
      await store.operatorRows.write(note);
    }
    await using store = await open();
    const notes = await store.operatorRows.list(note.kind, [note.tenant], note.place);
    deepEqual(notes, declared ? [note] : []);
    const rows = declared ? size : 0;
    equal((await store.root(allTenants, "root-1", { limit: 9 })).events.length, rows);
    deepEqual(await store.readBack(batch.batchId, batch.receivedAt), { rows, complete: declared });
  },

  prepared: (harness, declared) => takesPrepared(harness, declared, prepareBatch(batch)),

  packed(harness, declared) {
    const preparer = new RowPreparer();
    for (const event of batch.events) preparer.add(event, batch.receivedAt);
    return takesPrepared(harness, declared, preparer.finish(batch.batchId, batch.receivedAt));
  },

  async shared(harness, declared) {
    if (!declared) {
      await using store = await harness.open();
      return equal(store.state, undefined);
    }
    if (harness.lasting === undefined) throw new RangeError('this clause needs "lasting"');
    const open = await harness.lasting();
    const keepUntilMs = Date.now() + 3_600_000;
    const [first, other] = [{ name: 'a "b"', version: 1, value: "one\u0000" }, { name: "c" }];
    {
      await using store = await open();
      const { state } = store;
      if (state === undefined) throw new RangeError("no state");
      equal(await state.read("session", first.name), undefined);
      await state.write("session", { ...first, keepUntilMs });
      await state.write("lease", { ...first, value: "other kind", keepUntilMs });
      deepEqual(await state.read("session", first.name), first);
      const last = { ...first, version: 2 ** 52, value: "two" };
      await state.write("session", { ...last, keepUntilMs });
      // An older version that arrives late changes nothing.
      await state.write("session", { ...first, version: 2, value: "late", keepUntilMs });
      deepEqual(await state.read("session", first.name), last);
      await state.write("session", { ...other, version: 1, value: "", keepUntilMs });
    }
    await using store = await open();
    const { state } = store;
    if (state === undefined) throw new RangeError("no state");
    const rows = await state.list("session");
    deepEqual(
      rows.map(({ name, value }) => [name, value]),
      [
        [first.name, "two"],
        ["c", ""],
      ],
    );
    // Two writers of one version: one of them stands, for every reader.
    const claims = ["x", "y"].map((value) => ({ name: "d", version: 7, value, keepUntilMs }));
    await Promise.all(claims.map((claim) => state.write("lease", claim)));
    const seen = await Promise.all([1, 2, 3].map(() => state.read("lease", "d")));
    equal(new Set(seen.map((row) => row?.value)).size, 1);
  },
};

const size = batch.events.length;

/** A clause for each capability; `durable` needs the option `lasting`. */
export const capabilityClauses: readonly KitClause[] = [
  ...(Object.keys(meanings) as Capability[]).map((capability): KitClause => ({
    name: `a store has the capability "${capability}" exactly where it declares it`,
    async run(harness) {
      const store = await harness.open();
      const declared = store.capabilities.includes(capability);
      await store.close();
      await meanings[capability](harness, declared);
    },
  })),
  ...operatorErasureClauses,
];
