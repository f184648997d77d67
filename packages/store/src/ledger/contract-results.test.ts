/** @module Results of contracts in records: they stay with their verdict, and with nothing else. */
import type { TurnEvent } from "@turnproof/evidence";
import { expect, test } from "vitest";

import { allTenants, sampleEvent } from "../testing/sample-event.ts";
import { memoryTurns } from "./memory-turns.ts";
import { judgeSoFar, recordRoots } from "./record-roots.ts";
import type { JudgedSoFar, RootTurns, WholeRoot } from "./record-roots.ts";

const receivedAt = "2026-11-21T10:00:00.000000Z";
const results = ["contract:a=holds", "contract:b=violated", "contract:c=not_established"];

const event = (turn: string, n: number): TurnEvent =>
  sampleEvent(`${turn}-${n}`, {
    root_trace_id: "root",
    turn_id: turn,
    received_at: receivedAt,
  });
const rootOf = (events: readonly TurnEvent[], more: Partial<WholeRoot> = {}): WholeRoot => {
  return { root: "root", events, rows: events.length, epoch: 0, ...more };
};
const judge = () => () => ({
  verdict: "partial",
  finding_codes: [],
  insight_codes: [],
  verdict_reasons: [],
  contracts: results,
  judged_at: receivedAt,
  as_of: receivedAt,
});

async function namesOf(ledger: RootTurns): Promise<Readonly<Record<string, readonly string[]>>> {
  const order = { by: "first_received" } as const;
  const { records } = await ledger.listTurns(
    { scope: allTenants, where: [] },
    { order, limit: 10 },
  );
  return Object.fromEntries(
    records.map(({ row, names }) => [
      row.turn_id,
      names.filter((name) => name.startsWith("contract:")),
    ]),
  );
}

test("evidence of another turn leaves the results; the turn's own removes them", async () => {
  const ledger = memoryTurns();
  const first = [event("one", 1), event("two", 1)];
  await recordRoots(ledger, [rootOf(first)], judge);
  expect(await namesOf(ledger)).toEqual({ one: results, two: results });
  await recordRoots(ledger, [rootOf([...first, event("two", 2)])]);
  expect(await namesOf(ledger)).toEqual({ one: results, two: [] });
});

test("of a grown turn that was judged as far as it was stored, what held is not kept", async () => {
  const ledger = memoryTurns();
  const first = [event("one", 1), event("two", 1)];
  const found = await judgeSoFar(ledger, [rootOf(first)], judge);
  const soFar = found.get("root") as JudgedSoFar;
  await recordRoots(ledger, [rootOf([...first, event("two", 2)], { soFar })]);
  expect(await namesOf(ledger)).toEqual({ one: results, two: results.slice(1) });
});

test("a parent that arrives with another turn leaves the verdict: only the orphans change", async () => {
  const ledger = memoryTurns();
  const child = { ...event("one", 1), span_id: "child", parent_span_id: "late" };
  const parent = { ...event("two", 1), span_id: "late" };
  const seen = async (): Promise<unknown> => {
    const order = { by: "first_received" } as const;
    const where = [{ text: "turn_id", is: "one" }] as const;
    const { records } = await ledger.listTurns({ scope: allTenants, where }, { order, limit: 2 });
    return records.map(({ row, names }) => [row.orphan_spans, row.verdict, names.length > 0]);
  };
  await recordRoots(ledger, [rootOf([child])], judge);
  expect(await seen()).toEqual([[1, "partial", true]]);
  await recordRoots(ledger, [rootOf([child, parent])]);
  expect(await seen()).toEqual([[0, "partial", true]]);
});
