/** Each answer of the ledger while it is not known which turns damage touches. */
import { ephemeral, recordStored } from "@turnproof/store";
import type { EvidenceStore, TurnQuery } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { judgeTurns, turnEvents } from "./desk.ts";
import { unlocatedDamage } from "../../../collector/src/backend/unlocated-damage.ts";

const recorded = { a: "success", b: "success", c: "unknown", d: "failed" };
/** Results of a contract, which are also recorded with its version. */
const results = { a: "holds", b: "violated", c: "not_established", d: "holds" };
const order = { by: "verdict" } as const;

async function stored(): Promise<EvidenceStore> {
  const store = ephemeral();
  for (const [root, verdict] of Object.entries(recorded)) {
    const events = turnEvents({ root });
    await store.append({ batchId: root, receivedAt: "2026-11-21T10:00:00.000000Z", events });
    await recordStored(store, allTenants, [root]);
    const result = results[root as keyof typeof results];
    const contracts = [`contract:answers=${result}`, `contract:answers@0123456789ab=${result}`];
    await judgeTurns(store, [root], { verdict, finding_codes: [] }, contracts);
  }
  return store;
}

const all: TurnQuery = { scope: allTenants, where: [] };
const of = (is: string, not?: true): TurnQuery => ({
  scope: allTenants,
  where: [{ any: [{ text: "verdict", is, ...(not && { not }) }] }],
});

test("a success is unknown in every answer until damage is located", async () => {
  const store = await stored();
  const damage = { store: null, traces: 0, located: false };
  const { ledger } = unlocatedDamage(store, { report: () => damage });
  const list = async (question: TurnQuery): Promise<object> => {
    const { records } = await ledger.listTurns(question, { order, limit: 10 });
    return Object.fromEntries(records.map(({ row }) => [row.root_trace_id, row.verdict]));
  };
  const unknown = { a: "unknown", b: "unknown", c: "unknown" };
  expect(await list(all)).toEqual({ ...unknown, d: "failed" });
  expect(await list(of("success"))).toEqual({});
  expect(await list(of("success", true))).toEqual({ ...unknown, d: "failed" });
  expect(await list(of("unknown"))).toEqual(unknown);
  expect(await list(of("unknown", true))).toEqual({ d: "failed" });
  expect(await ledger.countTurns(of("unknown"))).toBe(3);
  expect(await ledger.turnCounts(of("unknown"), {})).toMatchObject([{ turns: 3 }]);

  const verdicts = { unknown: 3, failed: 1 };
  const [facet] = await ledger.turnFacets(all, ["verdict"], 10);
  expect(facet).toEqual({
    field: "verdict",
    values: [
      { value: "unknown", turns: 3 },
      { value: "failed", turns: 1 },
    ],
    total: 2,
  });
  expect(await ledger.turnFigures(all, {})).toMatchObject([{ verdicts }]);
  const by = await ledger.turnFigures(all, { by: "verdict" });
  expect(by.map(({ value, turns }) => [value, turns])).toEqual([
    ["failed", 1],
    ["unknown", 3],
  ]);
  for (const [is, counts] of [
    ["success", [0, 0]],
    ["unknown", [0, 3]],
  ] as const) {
    const also = { text: "verdict", is } as const;
    const counted = await ledger.turnCounts(all, { by: "verdict", also });
    expect(counted.map((group) => group.also)).toEqual(counts);
    expect(await ledger.turnCounts(all, { also })).toMatchObject([{ turns: 4, also: counts[1] }]);
  }
  expect(await ledger.turnGroups(all, "agent_id", { limit: 1 })).toMatchObject({
    groups: [{ verdicts }],
  });
  expect(await ledger.callFigures(of("success"), "tool", [])).toEqual([]);

  // What is recorded stays, and is answered again once the damage is located.
  const located = unlocatedDamage(store, { report: () => ({ ...damage, located: true }) }).ledger;
  const { records } = await located.listTurns(all, { order, limit: 10 });
  const shown = records.map(({ row }) => [row.root_trace_id, row.verdict]);
  expect(Object.fromEntries(shown)).toEqual(recorded);
});

test("a contract that holds is not established in every answer until damage is located", async () => {
  const store = await stored();
  const { ledger } = unlocatedDamage(store, {
    report: () => ({ store: null, traces: 0, located: false }),
  });
  const which = async (
    list: "name" | "contract",
    has: string,
    not?: true,
  ): Promise<readonly string[]> => {
    const where = [{ any: [{ list, has, ...(not && { not }) }] }] as const;
    const { records } = await ledger.listTurns({ scope: allTenants, where }, { order, limit: 10 });
    return records.map(({ row }) => row.root_trace_id ?? "").toSorted();
  };
  for (const [list, name] of [
    ["contract", "answers"],
    ["name", "contract:answers"],
    ["name", "contract:answers@0123456789ab"],
  ] as const) {
    expect(await which(list, `${name}=holds`)).toEqual([]);
    expect(await which(list, `${name}=holds`, true)).toEqual(["a", "b", "c", "d"]);
    expect(await which(list, `${name}=not_established`)).toEqual(["a", "c", "d"]);
    expect(await which(list, `${name}=not_established`, true)).toEqual(["b"]);
    expect(await which(list, `${name}=violated`)).toEqual(["b"]);
  }
  const { records } = await ledger.listTurns(all, { order, limit: 10 });
  expect(records.flatMap(({ names }) => names).filter((name) => name.endsWith("=holds"))).toEqual(
    [],
  );
  const [facet] = await ledger.turnFacets(all, ["contract"], 1);
  expect(facet).toEqual({
    field: "contract",
    values: [{ value: "answers=not_established", turns: 3 }],
    total: 2,
  });
  for (const by of ["contract", "name"] as const) {
    const figures = await ledger.turnFigures(all, { by });
    const shown = figures.filter(({ value }) => value?.includes("answers=") === true);
    const counts = await ledger.turnCounts(all, { by });
    expect(counts.map(({ value, turns }) => [value, turns])).toEqual(
      figures.map(({ value, turns }) => [value, turns]),
    );
    expect(Object.fromEntries(shown.map(({ value, turns }) => [value, turns]))).toEqual(
      by === "contract"
        ? { "answers=violated": 1, "answers=not_established": 3 }
        : { "contract:answers=violated": 1, "contract:answers=not_established": 3 },
    );
  }
});
