/** Notices of late turns, between collectors. */
import type { CollectorState, StateRow } from "@turnproof/store";
import { expect, test } from "vitest";

import { lateTurns, OthersTurns, OwnLateTurns } from "./late-turn-notices.ts";

function rowsInMemory(): Pick<CollectorState, "list" | "write"> {
  const rows = new Map<string, StateRow>();
  return {
    list: async () => [...rows.values()],
    write: async (_kind, row) => void rows.set(row.name, row),
  };
}

test("each notice of each collector is counted once, also those between two looks", async () => {
  const state = rowsInMemory();
  const [one, two] = [new OwnLateTurns(state, "test"), new OwnLateTurns(state, "test")];
  const others = new OthersTurns();
  const next = async (): Promise<number> => others.next(await lateTurns(state, "test"));
  expect(await next()).toBe(Infinity);
  await one.add(1_000);
  await one.add(9_000);
  await two.add(5_000);
  expect(await next()).toBe(1_000);
  expect(await next()).toBe(Infinity);
  await two.add(7_000);
  expect(await next()).toBe(7_000);
});

test("turns of another deployment are not counted", async () => {
  const state = rowsInMemory();
  await new OwnLateTurns(state, "test-2").add(1_000);
  expect(new OthersTurns().next(await lateTurns(state, "test"))).toBe(Infinity);
});
