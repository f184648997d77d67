/**
 * @module Turn reach: a page by first receipt looks no further than rows that pass fill it. Rows of
 * older versions pass too and are no turns any more; then it has to look further, to the end.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clickhouse } from "@turnproof/store";
import type { EvidenceStore, TurnPosition, TurnQuery, TurnRecord } from "@turnproof/store";
import { allTenants, sampleRecord } from "@turnproof/store/testing";
import { afterEach, beforeEach, expect, test } from "vitest";

const turns = 400;
const still = 5;

let directory: string;
let store: EvidenceStore;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-reach-"));
  store = await clickhouse({ connection: { dataDir: directory } });
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** Turn by place, the oldest first; rewritten once it is judged. */
function turn(at: number, verdict: "failed" | null): TurnRecord {
  const version = { epoch: 0, rows: 1, settled: verdict !== null };
  const first_received = new Date(Date.UTC(2026, 4, 4) + at * 1_000).toISOString();
  return { ...sampleRecord(`turn ${at}`, { verdict }, version), first_received };
}

async function keysOf(question: TurnQuery, ascending: boolean): Promise<readonly string[]> {
  const order = {
    by: "first_received" as const,
    ...(ascending ? { ascending: true as const } : {}),
  };
  const keys: string[] = [];
  let after: TurnPosition | undefined;
  do {
    const page = { order, limit: 2, ...(after === undefined ? {} : { after }) };
    const { records, next } = await store.ledger.listTurns(question, page);
    keys.push(...records.map(({ key }) => key));
    after = next ?? undefined;
  } while (after !== undefined);
  return keys;
}

test.each([false, true])("turns behind hundreds of older versions, ascending %s", async (up) => {
  const all = Array.from({ length: turns }, (_, at) => at);
  await store.ledger.putTurns(all.map((at) => turn(at, null)));
  const judged = up ? all.slice(0, -still) : all.slice(still);
  await store.ledger.putTurns(judged.map((at) => turn(at, "failed")));
  const where = [{ text: "verdict", is: "unjudged" }] as const;
  const left = all.filter((at) => !judged.includes(at)).map((at) => turn(at, null).key);
  const listed = await keysOf({ scope: allTenants, where }, up);
  expect(listed).toEqual(up ? left : left.toReversed());
});
