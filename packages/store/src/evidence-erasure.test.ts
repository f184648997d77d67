/** @module EvidenceErasure: the remaining rows of a root keep their identity. */
import { resolveEvents } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { deleteUserEvidence } from "./erasure.ts";
import { ephemeral } from "./ephemeral.ts";
import { decideErasure, pinnedBatch } from "./evidence-erasure.ts";
import type { StoredEvent } from "./stored-event.ts";
import { storedForm } from "./stored-event.ts";
import { sampleEvent } from "./testing/sample-event.ts";

const users = ["kim", "kim2", "Kim", null, undefined] as const;

/** A row of a root with many users, any parents, and some threads and turns. */
const rowOf = fc.record({
  parent: fc.integer({ min: -1, max: 9 }),
  user: fc.constantFrom(...users),
  thread: fc.constantFrom(undefined, "t-kim", "t-other"),
  agent: fc.constantFrom(undefined, "a", "b"),
  turn: fc.boolean(),
});

const rootOf = fc.array(rowOf, { minLength: 1, maxLength: 10 }).map((rows) =>
  rows.map(({ parent, user, thread, agent, turn }, at): StoredEvent => {
    const fields: Partial<TurnEvent> = {
      root_trace_id: "root",
      event_kind: turn ? "turn" : "tool_call",
      ...(parent < 0 ? {} : { parent_span_id: `s${parent}` }),
      ...(user === undefined ? {} : { user_id: user }),
      ...(thread === undefined ? {} : { thread_id: thread }),
      ...(agent === undefined ? {} : { agent_id: agent }),
    };
    return storedForm(sampleEvent(`s${at}`, fields), "2026-03-02T08:00:00.000000Z");
  }),
);

const keyed = (rows: readonly StoredEvent[]): { key: number; row: StoredEvent }[] =>
  rows.map((row, key) => ({ key, row }));

test("no row of another user changes hands, and none of the user's stays", () => {
  fc.assert(
    fc.property(rootOf, (rows) => {
      const named = rows.some((row) => row.user_id === "kim");
      const before = new Map(resolveEvents(rows).map((event) => [event.event_id, event]));
      const { left, gone, pinned } = decideErasure("root", keyed(rows), "kim");
      if (!named) {
        expect(gone).toEqual([]);
        return;
      }
      expect(gone.length - pinned.length).toBe(rows.length - left.length);
      const after = resolveEvents(left);
      for (const event of after) {
        const reported = before.get(event.event_id);
        expect(event.user_id).toBe(reported?.user_id);
        expect(event.user_id).not.toBe("kim");
        expect([reported?.agent_id, "erased"]).toContain(event.agent_id);
        expect([reported?.thread_id, "erased"]).toContain(event.thread_id);
      }
      const others = [...before.values()].filter(
        ({ user_id: user }) => user !== "kim" && user !== undefined,
      );
      expect(after.map((event) => event.event_id)).toEqual(others.map((event) => event.event_id));
    }),
    { numRuns: 3_000 },
  );
});

test("a run that was killed after it wrote what stays is finished by the next one", () => {
  fc.assert(
    fc.property(rootOf, fc.integer({ min: 0, max: 10 }), (rows, removed) => {
      const first = decideErasure("root", keyed(rows), "kim");
      const done = resolveEvents(first.left);
      // Pinned rows are written already; of the rows to delete, some are deleted: those without a
      // user before those with one.
      const goneFirst = first.gone
        .toSorted((a, b) => Number("user_id" in a.row) - Number("user_id" in b.row))
        .slice(0, Math.min(removed, Math.max(first.gone.length - 1, 0)));
      const names = new Set(goneFirst.map(({ key }) => key));
      const lying = [...rows.filter((_row, at) => !names.has(at)), ...first.pinned];
      if (!lying.some((row) => row.user_id === "kim")) return;
      const { left } = decideErasure("root", keyed(lying), "kim");
      const again = new Map(resolveEvents(left).map((event) => [event.event_id, event.user_id]));
      expect(again).toEqual(new Map(done.map((event) => [event.event_id, event.user_id])));
    }),
    { numRuns: 3_000 },
  );
});

test("the same rows are written again as the same batch", () => {
  const row = storedForm(sampleEvent("aa"), "2026-03-02T08:00:00.000000Z");
  expect(pinnedBatch([row])?.batchId).toBe(pinnedBatch([{ ...row }])?.batchId);
  expect(pinnedBatch([])).toBeUndefined();
});

test("names that are near are other users", async () => {
  await using store = ephemeral();
  const names = ["kim", "kim2", "ki", "Kim", "kim ", "zo\u00e9", "zoe\u0301"];
  for (const user of names) {
    const events = [sampleEvent("aa", { root_trace_id: `root ${user}`, user_id: user })];
    await store.append({ batchId: user, receivedAt: "2026-03-02T08:00:00.000000Z", events });
  }
  for (const userId of ["kim", "zo\u00e9"]) {
    const done = await deleteUserEvidence(store, { userId, dryRun: false });
    expect(done).toMatchObject({ roots: 1, deleted: 1, complete: true });
  }
  for (const tenant of names) {
    const { events } = await store.page({ tenant }, {}, { limit: 9 });
    expect(events).toHaveLength(tenant === "kim" || tenant === "zo\u00e9" ? 0 : 1);
  }
});
