/**
 * @module Previous rows: rows that the previous version wrote, beside new ones: whole hashes of
 * words, and records as JSON objects. They are found and read as before, and a new version of a
 * turn takes the place of an old one.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { clickhouse, lentEngineOf } from "@turnproof/store";
import type { EvidenceStore, LentEngine, TurnRecord } from "@turnproof/store";
import { allTenants, sampleRecord } from "@turnproof/store/testing";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";

import { murmur32 } from "../../../packages/store/src/bundle/murmur.ts";
import { packBundles } from "../../../packages/store/src/bundle/pack.ts";
import { readAnswer } from "../../../packages/store/src/clickhouse/engine-client.ts";
import { storedForm } from "../../../packages/store/src/stored-event.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

let store: EvidenceStore;
let engine: LentEngine;
beforeEach(async () => {
  store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const lent = lentEngineOf(store);
  if (lent === undefined) throw new Error("the engine is embedded");
  engine = lent;
});
afterEach(() => store.close());

const receivedAt = "2026-03-01T10:00:01.000123Z";

function eventOf(root: string): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${root}-span:result`,
    event_kind: "tool_call",
    phase: "result",
    status: "error",
    timestamp: "2026-03-01T10:00:00.000000001Z",
    root_trace_id: root,
    span_id: `${root}-span`,
    user_id: `${root}-user`,
    thread_id: `${root}-thread`,
    attributes: { tool_name: "search", tool_call_id: `${root}-call` },
  };
}

async function numbersOf(sql: string): Promise<readonly number[]> {
  const { columns } = readAnswer(await engine.select(sql));
  return (columns.get("n") ?? []).map(Number);
}

/** Replaces the words of a root's row with whole hashes. */
async function asPrevious(root: string, batch: string): Promise<void> {
  const [row] = packBundles([storedForm(eventOf(root), receivedAt)]);
  const hashes = [...(row?.hashes ?? []), murmur32(`batch:${batch}`)];
  const own = `root_trace_id = '${root}'`;
  const columns =
    "received_at, first_received, root, root_trace_id, evidence, events, batch, batch_events, body";
  await engine.command(`INSERT INTO bundles (${columns}, hashes)
SELECT ${columns}, CAST([${hashes.join(", ")}], 'Array(UInt32)') FROM bundles WHERE ${own}`);
  const whole = `has(ids, reinterpretAsFixedString(toUInt32(${murmur32(`id:${root}`)})))`;
  await engine.command(
    `ALTER TABLE bundles DELETE WHERE ${own} AND NOT ${whole} SETTINGS mutations_sync = 2`,
  );
}

test("events of old and new rows are found by every word", async () => {
  for (const root of ["old", "new"]) {
    await store.append({ batchId: root, receivedAt, events: [eventOf(root)] });
  }
  await asPrevious("old", "old");
  const widest = (root: string): string =>
    `SELECT toFloat64(max(arrayMax(arrayMap(x -> reinterpretAsUInt32(x), arraySlice(ids, 2))))) AS n
FROM bundles WHERE root_trace_id = '${root}'`;
  expect((await numbersOf(widest("old")))[0]).toBeGreaterThan(0xff_ff_ff);
  expect((await numbersOf(widest("new")))[0]).toBeLessThanOrEqual(0xff_ff_ff);
  for (const root of ["old", "new"]) {
    const options = { limit: 10 };
    const only = [`${root}-span:result`];
    const ids = (slice: { readonly events: readonly TurnEvent[] }): readonly string[] =>
      slice.events.map(({ event_id: id }) => id);
    expect(ids(await store.root(allTenants, root, options))).toEqual(only);
    for (const id of [`${root}-span`, `${root}-call`, only[0] ?? "", `${root}-thread`]) {
      expect(ids(await store.find(allTenants, id, {}, options))).toEqual(only);
    }
    const query = { user_id: `${root}-user`, tool_name: "search", status: "error" } as const;
    expect(ids(await store.page(allTenants, query, options))).toEqual(only);
    expect(await store.readBack(root, receivedAt)).toEqual({ rows: 1, complete: true });
    expect((await store.standing([root])).get(root)?.rows).toBe(1);
  }
  const both = await store.page(allTenants, { tool_name: "search" }, { limit: 10 });
  expect(both.events).toHaveLength(2);
});

test("a record as an object is read, and a packed one takes its place", async () => {
  const record = (key: string, rows: number): TurnRecord => ({
    ...sampleRecord(key, { event_count: rows }, { epoch: 0, rows, settled: false }),
    first_received: "2026-03-01T10:00:01.000123Z",
  });
  const question = { scope: allTenants, where: [] } as const;
  const listed = async (): Promise<readonly TurnRecord[]> =>
    (await store.ledger.listTurns(question, { order: { by: "ended_at" }, limit: 10 })).records;
  await store.ledger.putTurns([record("a", 1), record("b", 1)]);
  const text = (key: string): string =>
    JSON.stringify(record(key, 1)).replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  await engine.command(`ALTER TABLE turn_ledger UPDATE record = multiIf(key = 'a', '${text("a")}',
'${text("b")}') WHERE true SETTINGS mutations_sync = 2`);
  const objects = "SELECT toFloat64(countIf(startsWith(record, '{'))) AS n FROM turn_ledger";
  expect(await numbersOf(objects)).toEqual([2]);
  expect(await listed()).toEqual([record("b", 1), record("a", 1)]);
  await store.ledger.putTurns([record("a", 2)]);
  expect(await listed()).toEqual([record("b", 1), record("a", 2)]);
});
