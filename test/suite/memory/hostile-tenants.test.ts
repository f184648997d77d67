/**
 * @module Tenants whose ids are made to be confused, on every provider: each finds its own rows by
 * every unit, and no other tenant's.
 */
import { Memory } from "@turnproof/memory";
import type { MemoryPlace } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import { describe, expect, test } from "vitest";

import { providers } from "../agent/providers.ts";
import { everything, fill } from "./filled-memory.ts";

const long = "x".repeat(10_000);
const tenants: readonly (string | null)[] = [
  null,
  "null",
  "undefined",
  " ",
  "ann",
  "Ann",
  "ann ",
  "\u0430nn",
  "a\u0301",
  "\u00e1",
  "ann\u0000",
  "ann\u0000b",
  "..",
  "../ann",
  "%2e%2e%2fann",
  "C:\\ann",
  "CON",
  "$ne",
  '{"$ne":null}',
  "' OR 1=1 --",
  "%",
  "ann_",
  "__proto__",
  "constructor",
  long,
  `${long}y`,
];

describe.each(Object.entries(providers))("on %s", (_name, open) => {
  test("everybody finds their own and nothing else", { timeout: 240_000 }, async () => {
    const provider = await open();
    const memory = new Memory(provider.memory);
    const places = tenants.map((userId): MemoryPlace => ({
      userId,
      agentId: "desk",
      memoryId: "m1",
      threadId: "t1",
    }));
    const markOf = (i: number): string => `canary-${String(i).padStart(2, "0")}-mark`;
    for (const [i, place] of places.entries()) await fill(memory, place, markOf(i));
    for (const [i, place] of places.entries()) {
      const seen = await everything(memory, place);
      expect([i, [...new Set(seen.match(/canary-\d+-mark/g))]]).toEqual([i, [markOf(i)]]);
    }
    const gone = places.findIndex(({ userId }) => userId === "ann");
    const report = await deleteUser(provider.memory, { userId: "ann", dryRun: false });
    expect(report.complete).toBe(true);
    for (const [i, place] of places.entries()) {
      const count = (await memory.counts(place)).conversation.count;
      expect([i, count]).toEqual([i, i === gone ? 0 : 2]);
    }
    // Half a character is no text: a store could not distinguish it from another half.
    const broken = memory.counts({ userId: "ann\ud800", agentId: "desk" });
    await expect(broken).rejects.toMatchObject({ code: "record_invalid" });
    await provider.close();
  });
});
