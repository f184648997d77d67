/** Rows of unsettled roots in memory: complete roots, within the bound, none lost. */
import fc from "fast-check";
import { expect, test } from "vitest";

import { settledEvents } from "../settle.ts";
import { storedForm } from "../stored-event.ts";
import { randomEvent } from "../testing/random-world.ts";
import { sampleEvent } from "../testing/sample-event.ts";
import { HeldRoots } from "./held-roots.ts";
import { HeldRows } from "./held-rows.ts";

const at = (second: number): string =>
  `2026-11-21T10:00:${String(second).padStart(2, "0")}.000000Z`;

function add(held: HeldRoots, root: string, rows: number, ...seconds: number[]): void {
  const own = new HeldRows(root);
  for (const second of seconds) {
    own.add(storedForm(sampleEvent(`${root}-${second}`, { root_trace_id: root }), at(second)));
  }
  held.add(root, { rows, epoch: 0 }, own);
  held.pack(root);
}

const due = (held: HeldRoots, quiet: string, busy: string, ended = at(0)): readonly unknown[] =>
  held.due({ quiet, busy, ended }).map(({ root, last }) => ({ root, last }));
const one = (root: string, last: string, rows = 1) => ({ root, last, rows, ended: false });

test("a root is due when it is quiet, and when rows of it wait for long", () => {
  const held = new HeldRoots(1e9);
  add(held, "a", 2, 1, 4);
  add(held, "b", 1, 6);
  expect(due(held, at(4), at(0))).toEqual([]);
  expect(due(held, at(5), at(0))).toEqual([{ root: "a", last: at(4) }]);
  expect(due(held, at(4), at(2))).toEqual([{ root: "a", last: at(4) }]);
});

test("a settled root is let go of, unless it spoke since or is not quiet", () => {
  const held = new HeldRoots(1e9);
  for (const root of ["a", "b", "c"]) add(held, root, 1, 1);
  add(held, "b", 2, 3);
  for (const root of ["a", "b"]) held.settled(one(root, at(1)), at(2));
  held.settled(one("c", at(1)), at(1));
  expect(["a", "b", "c"].map((root) => held.knows(root))).toEqual([false, true, true]);
  expect(held.get("b")?.held.all()).toHaveLength(2);
  // None of its rows is overdue, so it is due when it is quiet and not before.
  expect(due(held, at(1), at(9))).toEqual([{ root: "b", last: at(3) }]);
});

test("packed rows are the rows that were added, in segments of any size", () => {
  const rows = [1, 2, 3, 4].map((second) =>
    storedForm(sampleEvent(`a-${second}`, { root_trace_id: "a" }), at(second)),
  );
  const held = new HeldRows("a");
  for (const row of rows.slice(0, 2)) held.add(row);
  held.pack();
  for (const row of rows.slice(2, 3)) held.add(row);
  const late = new HeldRows("a");
  for (const row of rows.slice(3)) late.add(row);
  held.join(late);
  expect(held.all()).toEqual(rows);
  held.pack();
  expect(held.all()).toEqual(rows);
  expect([held.count, held.first, held.last]).toEqual([4, at(1), at(4)]);
});

const storedRows = fc.array(
  randomEvent.map((event) => storedForm({ ...event, root_trace_id: "a" }, at(1))),
  { minLength: 1, maxLength: 8 },
);

test("rows of the batch at hand are settled as if they had been packed", () => {
  fc.assert(
    fc.property(storedRows, fc.nat(8), (rows, cut) => {
      const [held, packed] = [new HeldRows("a"), new HeldRows("a")];
      for (const [i, row] of rows.entries()) {
        if (i === cut) held.pack();
        held.add({ ...row });
        packed.add({ ...row });
      }
      packed.pack();
      expect(settledEvents(held.unsettled())).toEqual(settledEvents(packed.unsettled()));
      held.pack();
      expect(held.all()).toEqual(packed.all());
    }),
  );
});

test("a draft stands until more of its root is stored", () => {
  const held = new HeldRoots(1e9);
  add(held, "a", 1, 1);
  const draft = { records: [], voices: [], asOf: at(1), ended: false };
  held.recorded("a", { rows: 1, turns: [], draft });
  expect(held.get("a")?.draft).toBe(draft);
  add(held, "a", 2, 2);
  expect(held.get("a")?.draft).toBeUndefined();
  expect(
    held
      .get("a")
      ?.held.all()
      .map(({ received_at: of }) => of),
  ).toEqual([at(1), at(2)]);
});

test("a root whose turns have ended is due before it is quiet, once for its rows", () => {
  const held = new HeldRoots(1e9);
  add(held, "a", 1, 1);
  const draft = { records: [], voices: [], asOf: at(1), ended: true };
  held.recorded("a", { rows: 1, turns: [], draft });
  expect(due(held, at(0), at(0), at(1))).toEqual([]);
  const [found] = held.due({ quiet: at(0), busy: at(0), ended: at(2) });
  expect(found).toEqual({ root: "a", last: at(1), rows: 1, ended: true });
  if (found === undefined) throw new Error("not due");
  held.settled(found, at(0));
  expect(due(held, at(0), at(0), at(2))).toEqual([]);
  // More of it makes it due again, by its silence: there is no draft of it yet.
  add(held, "a", 2, 3);
  expect(due(held, at(0), at(0), at(9))).toEqual([]);
  expect(due(held, at(4), at(0))).toEqual([{ root: "a", last: at(3) }]);
  held.settled(one("a", at(3), 2), at(3));
  // Quiet, it leaves memory without being due.
  expect(due(held, at(4), at(0))).toEqual([]);
  expect(held.knows("a")).toBe(false);
});

test("beyond the bound what was still for longest goes, and is still due", () => {
  const held = new HeldRoots(1_700);
  for (const [second, root] of ["a", "b", "c"].entries()) add(held, root, 1, second);
  add(held, "a", 2, 5);
  held.bound();
  expect(held.get("b")).toBeUndefined();
  expect(held.get("a")?.rows).toBe(2);
  expect(
    held
      .due({ quiet: at(9), busy: at(0), ended: at(0) })
      .map(({ root }) => root)
      .toSorted(),
  ).toEqual(["a", "b", "c"]);
  held.settled(one("b", at(1)), at(9));
  expect(held.knows("b")).toBe(false);
});
