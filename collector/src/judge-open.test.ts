/** Roots with an open turn are looked at again when their time is over. */
import { expect, test } from "vitest";

import { createOpenRoots } from "./judge-open.ts";

test("a root is due after its time, until it is noted as closed", () => {
  const open = createOpenRoots();
  open.note("a", "2026-11-21T08:15:00.000Z");
  open.note("b", "2026-11-21T09:00:00.000Z");
  expect(open.due("2026-11-21T08:15:00.000Z")).toEqual([]);
  expect(open.due("2026-11-21T08:15:00.001Z")).toEqual(["a"]);
  open.note("a", null);
  expect(open.due("2026-11-22T00:00:00.000Z")).toEqual(["b"]);
});
