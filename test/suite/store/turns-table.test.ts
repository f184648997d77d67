/**
 * @module The turns table: a store from before it counts what it held, and retention takes from the
 * count what it takes from the list.
 */
import { createClient } from "@clickhouse/client";
import type { ClickHouseClientConfigOptions } from "@clickhouse/client";
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore, TurnSurvey } from "@turnproof/store";
import { clickhouseAdmin, defaultRetention } from "@turnproof/store/admin";
import { everybody, sampleEvent, sampleTurn } from "@turnproof/store/testing";
import { createChdbConnection } from "chdb/connection";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const now = "2026-06-01T12:00:00.000Z";
/** A time of receipt this many days before now, and some milliseconds. */
const before = (days: number, ms = 0): string =>
  new Date(Date.parse(now) - days * 86_400_000 + ms).toISOString().replace("Z", "000Z");

async function put(store: EvidenceStore, at: string, events: readonly TurnEvent[]): Promise<void> {
  const told = events.map((event) => ({ ...event, timestamp: at }));
  const batchId = `${at} ${events[0]?.root_trace_id} ${events.length}`;
  await store.append({ batchId, receivedAt: at, events: told });
}

const count = async (store: EvidenceStore): Promise<TurnSurvey["slots"]> =>
  (await store.survey?.(everybody, {}, { budgetRows: 1_000 }))?.slots ?? [];

async function statements(dataDir: string, sql: readonly string[]): Promise<void> {
  type Injected = NonNullable<ClickHouseClientConfigOptions["connection"]>;
  const connection = createChdbConnection({ path: `${dataDir}/clickhouse` });
  const client = createClient({ connection: connection as unknown as Injected });
  for (const query of sql) await client.command({ query });
  await client.close();
}

test("turns from before the table are counted as those that came after", async () => {
  const dataDir = await directories.make();
  const store = await clickhouse({ connection: { dataDir } });
  const who = { user_id: "ann", agent_id: "helper", thread_id: "t" };
  const odd = (root_trace_id: string, fields: Partial<TurnEvent>): TurnEvent =>
    sampleEvent(fields.span_id ?? "s", { root_trace_id, event_kind: "model_call", ...fields });
  await put(store, before(9), sampleTurn("whole", who));
  // In parts, and one of them failed.
  const [turn, ...rest] = sampleTurn("parts", who);
  await put(
    store,
    before(8),
    rest.map((event) => ({ ...event, status: "error" })),
  );
  await put(store, before(8, 400_000), turn === undefined ? [] : [turn]);
  await put(store, before(7), [odd("bare", {})]);
  await put(store, before(6), [odd("plain", { event_kind: "span", status: "error" })]);
  await put(store, before(5), [
    odd("two", { span_id: "a", event_kind: "turn" }),
    odd("two", { span_id: "b", event_kind: "turn", status: "error" }),
    odd("two", { span_id: "c" }),
  ]);
  const marker = { span_id: "m", event_id: "z:start", phase: "start", status: "started" } as const;
  await put(store, before(4), [odd("marked", { ...marker, event_kind: "turn" })]);
  await put(store, before(4, 400_000), [odd("marked", { span_id: "z", event_kind: "turn" })]);
  await put(store, before(3), [odd("said", { turn_id: "ü", source_store: "trace" })]);
  await put(store, before(2), [odd("logged", { source_store: "tool_log" })]);
  const counted = await count(store);
  expect(counted.map(({ turns, errors }) => [turns, errors])).toEqual([
    [1, 0],
    [1, 1],
    [1, 0],
    [2, 1],
    [1, 0],
    [1, 0],
  ]);
  await store.close();
  await statements(dataDir, [
    "DROP TABLE turns SYNC",
    "ALTER TABLE migrations DELETE WHERE version = 3 SETTINGS mutations_sync = 2",
  ]);
  // A migration that was cut short is made again from its start.
  for (let times = 0; times < 2; times += 1) {
    const again = await clickhouse({ connection: { dataDir } });
    expect(await count(again)).toEqual(counted);
    // A batch that arrives again is in the table already.
    await put(again, before(9), sampleTurn("whole", who));
    expect(await count(again)).toEqual(counted);
    await again.close();
    await statements(dataDir, [
      "ALTER TABLE migrations DELETE WHERE version = 3 SETTINGS mutations_sync = 2",
    ]);
  }
});

test("retention takes turns from the count as from the list", async () => {
  const dataDir = await directories.make();
  const connection = { dataDir };
  const store = await clickhouse({ connection });
  const turn = (root: string): TurnEvent[] => sampleTurn(root, { user_id: "ann" });
  const outcome = sampleEvent("oo", {
    root_trace_id: "kept",
    event_kind: "outcome",
    phase: "event",
    parent_span_id: "aa",
    attributes: { outcome: "success", verified: true },
  });
  await put(store, before(400), turn("ancient"));
  await put(store, before(40), turn("gone"));
  await put(store, before(40, 900_000), [...turn("kept"), outcome]);
  await put(store, before(2), turn("young"));
  const total = async (): Promise<number> =>
    (await count(store)).reduce((sum, { turns }) => sum + turns, 0);
  const listed = async (): Promise<readonly string[]> =>
    (await store.turns(everybody, {}, { limit: 10 })).roots;
  expect(await listed()).toEqual(["young", "kept", "gone", "ancient"]);
  expect(await total()).toBe(4);
  await store.close();
  const admin = await clickhouseAdmin({ connection });
  const plan = await admin.retentionPlan(defaultRetention, now);
  expect(plan.map(({ step }) => step)).toEqual(["drop_week", "delete_class"]);
  const totals: number[] = [];
  for (const step of plan) {
    await admin.applyRetention(step, defaultRetention, now);
    const held = await clickhouse({ connection });
    totals.push((await count(held)).reduce((sum, { turns }) => sum + turns, 0));
    await held.close();
  }
  expect(totals).toEqual([3, 2]);
  await admin.close();
  await using after = await clickhouse({ connection });
  expect((await after.turns(everybody, {}, { limit: 10 })).roots).toEqual(["young", "kept"]);
  expect((await count(after)).map(({ turns }) => turns)).toEqual([1, 1]);
});
