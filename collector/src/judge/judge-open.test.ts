/** Roots with an unfinished operation are judged again when there is a reason. */
import type { ProducerLife } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { createOpenRoots } from "./judge-open.ts";

const asOf = "2026-11-21T08:00:00.000Z";
const unended = (until: string | null, ...producers: string[]) => ({ until, producers, asOf });
const life = (producer_id: string, first: string, last: string): ProducerLife => ({
  producer_id,
  first: `2026-11-21T${first}:00.000Z`,
  last: `2026-11-21T${last}:00.000Z`,
  instance: "pod",
});

test("a root is due after its time, until it is noted as ended", () => {
  const open = createOpenRoots();
  expect(open.any()).toBe(false);
  open.note("a", unended("2026-11-21T08:15:00.000Z"));
  open.note("b", unended("2026-11-21T09:00:00.000Z"));
  expect(open.due("2026-11-21T08:15:00.000Z", [])).toEqual([]);
  expect(open.due("2026-11-21T08:15:00.001Z", [])).toEqual(["a"]);
  open.note("a", null);
  expect(open.due("2026-11-22T00:00:00.000Z", [])).toEqual(["b"]);
});

test("what is unfinished is due when its process is heard of again, within a day", () => {
  const open = createOpenRoots();
  open.note("a", unended(null, "p1"));
  expect(open.due("2026-11-21T09:00:00.000Z", [life("p1", "07:00", "08:00")])).toEqual([]);
  expect(open.due("2026-11-21T09:00:00.000Z", [life("p2", "07:00", "08:30")])).toEqual([]);
  expect(open.due("2026-11-21T09:00:00.000Z", [life("p1", "07:00", "08:30")])).toEqual(["a"]);
  expect(open.due("2026-11-22T09:00:00.000Z", [])).toEqual([]);
  expect(open.any()).toBe(false);
});

test("what is open is due when its process starts anew", () => {
  const open = createOpenRoots();
  open.note("a", unended("2026-11-21T09:00:00.000Z", "p1"));
  const now = "2026-11-21T08:30:00.000Z";
  const own = life("p1", "07:00", "08:10");
  expect(open.due(now, [own])).toEqual([]);
  expect(open.due(now, [own, life("p0", "06:00", "06:30")])).toEqual([]);
  expect(open.due(now, [own, life("p2", "08:20", "08:25")])).toEqual(["a"]);
});
