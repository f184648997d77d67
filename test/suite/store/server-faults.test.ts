/**
 * @module A ClickHouse server that is down, slow, lying, cut off or refusing: nothing is lost,
 * nothing doubled.
 */
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent, sampleTurn } from "@turnproof/store/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { murmur32 } from "../../../packages/store/src/bundle/murmur.ts";
import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";

let server: ClickhouseServer;
let store: EvidenceStore;
let serial = 0;
beforeAll(async () => {
  server = await startClickhouseServer();
  store = await clickhouse({
    connection: { url: server.url, database: "faults", timeoutMs: 2_000 },
  });
});
beforeEach(() => server.inject({}));
afterAll(async () => {
  await store.close();
  await server.close();
});

const batch = (): Parameters<EvidenceStore["append"]>[0] => {
  serial += 1;
  const root = `root-${serial}`;
  const events = sampleTurn(root, { user_id: "u", thread_id: `t-${serial}` });
  return { batchId: `batch ${serial}`, receivedAt: receivedAt(serial), events };
};

const failure = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: { code: string; retryable: boolean }) => [error.code, error.retryable],
  );

test("cut off after the commit, the same batch again leaves one copy", async () => {
  for (const cutAfterCommit of [1, 2]) {
    const sent = batch();
    await server.inject({ cutAfterCommit });
    for (let i = 0; i < cutAfterCommit; i += 1) {
      expect(await failure(store.append(sent))).not.toBe(undefined);
    }
    await store.append(sent);
    expect(await store.readBack(sent.batchId, sent.receivedAt)).toEqual({
      rows: 3,
      complete: true,
    });
    const page = await store.page(allTenants, { thread_id: `t-${serial}` }, { limit: 10 });
    expect([page.events.length, page.sourceRows]).toEqual([3, 3]);
  }
});

test("down, slow and overloaded may pass later", async () => {
  const sent = batch();
  await server.inject({ down: true });
  expect(await failure(store.append(sent))).toEqual(["store_unavailable", true]);
  expect((await store.check()).ok).toBe(false);
  await server.inject({ slowMs: 4_000 });
  expect(await failure(store.append(sent))).toEqual(["store_unavailable", true]);
  const refuse = { statement: "INSERT INTO bundles", code: 252, name: "TOO_MANY_PARTS" };
  await server.inject({ refuse });
  expect(await failure(store.append(sent))).toEqual(["store_busy", true]);
  await server.inject({ refuse: { ...refuse, code: 60, name: "UNKNOWN_TABLE" } });
  expect(await failure(store.append(sent))).toEqual(["store_unavailable", true]);
  await server.inject({});
  await store.append(sent);
  expect((await store.readBack(sent.batchId, sent.receivedAt)).complete).toBe(true);
});

test("a success that is a lie shows at the read back, and sending again mends it", async () => {
  const sent = batch();
  await server.inject({ lie: "INSERT INTO bundles" });
  await store.append(sent);
  expect(await store.readBack(sent.batchId, sent.receivedAt)).toEqual({ rows: 0, complete: false });
  await server.inject({});
  await store.append(sent);
  expect(await store.readBack(sent.batchId, sent.receivedAt)).toEqual({ rows: 3, complete: true });
});

test("a row that the store refuses is permanent, and says so", async () => {
  await server.inject({ refuseRow: "poison" });
  const events = [sampleEvent("aa", { thread_id: "poison", root_trace_id: "root-poison" })];
  const sent = { batchId: "poisoned", receivedAt: receivedAt(1), events };
  expect(await failure(store.append(sent))).toEqual(["store_rejected_row", false]);
});

test("what was acknowledged survives a crash of the server", async () => {
  const sent = batch();
  await store.append(sent);
  await server.kill();
  const { dataDir } = server;
  server = await startClickhouseServer({ dataDir });
  await store.close();
  store = await clickhouse({ connection: { url: server.url, database: "faults" } });
  expect((await store.readBack(sent.batchId, sent.receivedAt)).complete).toBe(true);
});

test("every statement of a tenant's read holds the tenant, and no value stands in it", async () => {
  const sent = batch();
  await store.append(sent);
  const scope = { tenant: "u" };
  const evil = "x' OR 1=1 --";
  const reads: readonly (() => Promise<unknown>)[] = [
    () => store.page(scope, { thread_id: `t-${serial}`, tool_name: evil }, { limit: 5 }),
    () => store.bundles(scope, {}, { limit: 5 }),
    () => store.find(scope, evil, {}, { limit: 5 }),
    () => store.page(scope, {}, { limit: 5 }),
  ];
  for (const read of reads) {
    await server.statements();
    await read();
    const stated = (await server.statements()).join("\n");
    expect(stated).not.toContain("OR 1=1");
    expect(stated).not.toContain(`t-${serial}`);
    // The tenant goes as the hash by which the index of words knows its roots.
    expect(stated).toContain(String(murmur32("id:u")));
  }
  await store.page({ tenant: null }, {}, { limit: 5 });
  expect((await server.statements()).join("\n")).toContain(String(murmur32("scope:anonymous")));
});
