/**
 * @module Many roots: a ClickHouse server takes no field of more than 128 KiB, so whatever names
 * roots names some at a time: the turns of a drain, those of a retention, and a user who has more
 * than one statement can name.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse, recordRoots } from "@turnproof/store";
import type { EvidenceStore, TurnRecord } from "@turnproof/store";
import { clickhouseAdmin, defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { recordStored } from "../../../packages/store/src/ledger/record-roots.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";

const roots = 700;

/** Records the turns of these roots, as a drain that has just stored them. */
async function record(store: EvidenceStore, events: readonly TurnEvent[]): Promise<void> {
  const whole = events.map((event) => ({
    root: event.root_trace_id ?? "",
    events: [event],
    rows: 1,
    epoch: 0,
  }));
  await recordRoots(store.ledger, whole);
}

/** Ids as long as a producer may write them fill a field soonest. */
const rootOf = (at: number): string => `${String(at).padStart(30, "0")}${"r".repeat(200)}`;

test("a user of many roots is recorded, listed and deleted", { timeout: 120_000 }, async () => {
  await using server = await startClickhouseServer();
  const connection = { url: server.url, database: "many" };
  const names = Array.from({ length: roots }, (_, at) => rootOf(at));
  await using store = await clickhouse({ connection });
  const events = names.map((root_trace_id) =>
    sampleEvent("s", { root_trace_id, user_id: "gone", event_kind: "turn" }),
  );
  await store.append({ batchId: "b", receivedAt: receivedAt(1), events });
  const stays = sampleEvent("s", { root_trace_id: "stays", user_id: "stays", event_kind: "turn" });
  await store.append({ batchId: "c", receivedAt: receivedAt(2), events: [stays] });

  expect((await store.standing(names)).size).toBe(roots);
  await record(store, [...events, stays]);
  expect(await store.ledger.turnsOf(names)).toHaveLength(roots);

  const report = await deleteUserEvidence(store, { userId: "gone", dryRun: false });
  expect(report).toMatchObject({ roots, deleted: roots, complete: true });
  const every = { scope: allTenants, where: [] };
  expect(await store.ledger.countTurns(every)).toBe(1);
  const left = [...(await store.standing(names)).values()].filter(({ rows }) => rows > 0);
  expect(left).toEqual([]);
  expect((await store.standing(["stays"])).get("stays")?.rows).toBe(1);
});

test(
  "a drain of thousands of roots, past and young, meets retention",
  { timeout: 300_000 },
  async () => {
    await using server = await startClickhouseServer();
    const connection = { url: server.url, database: "aged" };
    const [old, young] = ["o", "y"].map((mark, which) =>
      Array.from(
        { length: which === 0 ? 2_600 : 300 },
        (_, at) => `${mark}${String(at).padStart(31, "0")}`,
      ),
    ) as [string[], string[]];
    const turn = (root_trace_id: string): ReturnType<typeof sampleEvent> =>
      sampleEvent("s", { root_trace_id, user_id: "ann", event_kind: "turn" });
    {
      await using store = await clickhouse({ connection });
      // Both lie in one week, so no partition goes whole.
      const [past, later] = ["2026-05-18T00:00:00.000000Z", "2026-05-20T00:00:00.000000Z"] as const;
      await store.append({ batchId: "o", receivedAt: past, events: old.map(turn) });
      await store.append({ batchId: "y", receivedAt: later, events: young.map(turn) });
      await record(store, [...old, ...young].map(turn));
    }
    {
      await using admin = await clickhouseAdmin({ connection });
      const policy = { ...defaultRetention, metadata: 30, structure: 30, preview: 30, outcome: 30 };
      const now = "2026-06-18T12:00:00.000Z";
      const done = await admin.evidence({ policy, now, dryRun: false });
      expect(done.complete).toBe(true);
    }
    await using store = await clickhouse({ connection });
    const rows = async (roots: readonly string[]): Promise<number> =>
      [...(await store.standing(roots)).values()].reduce((sum, one) => sum + one.rows, 0);
    expect([await rows(old), await rows(young)]).toEqual([0, young.length]);
    const turns = await store.ledger.turnsOf([...old, ...young]);
    expect(new Set(turns.map(({ root_trace_id: root }) => root))).toEqual(new Set(young));
  },
);

test(
  "turns of 30,000 roots are written at once where others lost rows",
  { timeout: 300_000 },
  async () => {
    await using server = await startClickhouseServer();
    await using store = await clickhouse({ connection: { url: server.url, database: "wide" } });
    const gone = sampleEvent("s", { root_trace_id: "gone", user_id: "gone", event_kind: "turn" });
    await store.append({ batchId: "g", receivedAt: receivedAt(1), events: [gone] });
    await recordStored(store, allTenants, ["gone"]);
    const [record] = (
      await store.ledger.listTurns(
        { scope: allTenants, where: [] },
        { order: { by: "first_received" }, limit: 1 },
      )
    ).records as [TurnRecord];
    await deleteUserEvidence(store, { userId: "gone", dryRun: false });
    const records = Array.from({ length: 30_000 }, (_, at) => {
      const root = `${String(at).padStart(32, "0")}`;
      return { ...record, key: root, row: { ...record.row, root_trace_id: root } };
    });
    // The last one rests on what was deleted.
    await store.ledger.putTurns([...records, record]);
    expect(await store.ledger.countTurns({ scope: allTenants, where: [] })).toBe(records.length);
  },
);
