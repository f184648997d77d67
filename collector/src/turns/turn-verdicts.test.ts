/** Verdicts of the turns of a root, beside rows that may have grown since. */
import type { TurnRow } from "@turnproof/evidence";
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants, sampleRecord } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { foundVerdicts, withVerdicts } from "./turn-verdicts.ts";

const before = "2026-03-01T10:00:00.000000Z";
const later = "2026-03-01T10:01:00.000000Z";

async function put(store: EvidenceStore, verdict: string, turn_id: string): Promise<TurnRow> {
  const record = sampleRecord(turn_id, { root_trace_id: "root", turn_id, verdict });
  await store.ledger.putTurns([{ ...record, judged_at: before, as_of: before }]);
  return { ...record.row, verdict: null };
}

test("a page shows the verdict that lists show, and no success for a turn that has grown", async () => {
  await using store = ephemeral();
  const rows = [await put(store, "partial", "one"), await put(store, "success", "two")];
  const shown = async (received_at: string): Promise<readonly (string | null)[]> => {
    const place = { scope: allTenants, root: "root" };
    const grown = rows.map((row) => ({ ...row, received_at }));
    return (await withVerdicts(store.ledger, place, grown)).map(({ verdict }) => verdict);
  };
  expect(await shown(before)).toEqual(["partial", "success"]);
  expect(await shown(later)).toEqual(["partial", null]);
});

test("a root is looked up whole, however many turns it has, or not at all", async () => {
  await using store = ephemeral();
  const of = (root_trace_id: string, count: number): Parameters<typeof store.ledger.putTurns>[0] =>
    Array.from({ length: count }, (_, n) =>
      sampleRecord(`${root_trace_id} ${n}`, { root_trace_id, turn_id: `${n}`, verdict: "partial" }),
    );
  await store.ledger.putTurns([...of("small", 3), ...of("middle", 2_500)]);
  const sizes = async (...roots: readonly string[]): Promise<readonly unknown[]> => {
    const found = await foundVerdicts(store.ledger, allTenants, roots);
    return roots.map((root) => found.get(root)?.length);
  };
  expect(await sizes("small", "middle", "none")).toEqual([3, 2_500, undefined]);
  await store.ledger.putTurns(of("large", 10_500));
  const [small, large] = await sizes("small", "large");
  expect([3, undefined]).toContain(small);
  expect(large).toBeUndefined();
});
