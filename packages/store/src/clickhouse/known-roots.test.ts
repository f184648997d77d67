/** @module Tests of the counts of roots: what is not certain is not counted. */
import { describe, expect, it } from "vitest";

import { rootHash } from "./bundle-table.ts";
import { KnownRoots } from "./known-roots.ts";

/** A table with these roots before the process wrote to it. */
function tableOf(roots: readonly string[], rows = roots.length) {
  return async (sql: string): Promise<readonly unknown[]> =>
    sql.includes("count()") ? [rows] : roots.map(rootHash);
}

const stored = async (): Promise<void> => {};
const empty = tableOf([]);

/** Counts after a first block, before which nothing is certain. */
async function begun(read = empty): Promise<KnownRoots> {
  const known = new KnownRoots();
  await known.inserting({ roots: [["first", 1]] }, "00000001", stored);
  await known.countsOf([], read);
  return known;
}

describe("KnownRoots", () => {
  it("counts roots from their first row on", async () => {
    const known = await begun();
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    await known.inserting(
      {
        roots: [
          ["a", 3],
          ["b", 1],
        ],
      },
      "00000003",
      stored,
    );
    const counts = await known.countsOf(["a", "b", "first", "never"], empty);
    expect([...counts]).toEqual([
      ["a", 5],
      ["b", 1],
    ]);
  });

  it("does not count a root with older rows", async () => {
    const read = tableOf(["old"]);
    const known = await begun(read);
    await known.inserting({ roots: [["old", 2]] }, "00000002", stored);
    expect([...(await known.countsOf(["old"], read))]).toEqual([]);
  });

  it("does not count in a table that is too large for the filter", async () => {
    const read = tableOf([], 6_000_000);
    const known = await begun(read);
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    expect([...(await known.countsOf(["a"], read))]).toEqual([]);
  });

  it("forgets a root whose insert failed: its rows may be stored", async () => {
    const known = await begun();
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    const failed = known.inserting({ roots: [["a", 3]] }, "00000003", () =>
      Promise.reject(new Error("no answer")),
    );
    await expect(failed).rejects.toThrow("no answer");
    await known.inserting({ roots: [["a", 3]] }, "00000003", stored);
    expect([...(await known.countsOf(["a"], empty))]).toEqual([]);
  });

  it("forgets the roots of a batch that is sent again: the engine stores it once", async () => {
    const known = await begun();
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    expect([...(await known.countsOf(["a"], empty))]).toEqual([]);
  });

  it("forgets everything when rows are deleted, and counts these roots no more", async () => {
    const known = await begun();
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    await known.changing(["ALTER TABLE turn_ledger DELETE WHERE true"], stored);
    expect([...(await known.countsOf(["a"], empty))]).toEqual([["a", 2]]);
    await known.changing(["ALTER TABLE bundles DELETE WHERE true"], stored);
    await known.inserting({ roots: [["a", 1]] }, "00000003", stored);
    expect([...(await known.countsOf(["a"], empty))]).toEqual([]);
  });

  it("knows nothing of before while rows are deleted, and nothing of meanwhile after", async () => {
    const known = await begun();
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    await known.changing(["ALTER TABLE bundles DELETE WHERE true"], async () => {
      expect([...(await known.countsOf(["a"], empty))]).toEqual([]);
      await known.inserting({ roots: [["b", 1]] }, "00000003", stored);
    });
    expect([...(await known.countsOf(["a", "b"], empty))]).toEqual([]);
  });

  it("ends counting with a block without roots", async () => {
    const known = await begun();
    await known.inserting({ roots: [["a", 2]] }, "00000002", stored);
    await known.inserting({}, "00000003", stored);
    await known.inserting({ roots: [["b", 2]] }, "00000004", stored);
    expect([...(await known.countsOf(["a", "b"], empty))]).toEqual([]);
  });
});
