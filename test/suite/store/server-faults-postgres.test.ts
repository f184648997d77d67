/** @module A PostgreSQL away, full, slow, restarted or refusing: nothing lost, nothing doubled. */
import { postgres } from "@turnproof/store";
import type { EvidenceStore, PostgresProvider } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent, sampleTurn } from "@turnproof/store/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";

let server: PostgresServer;
let database: string;
let store: PostgresProvider;
beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase();
  store = await postgres({ url: server.url(database), poolSize: 4 });
});
afterAll(async () => {
  await store.close();
  await server.close();
});

let serial = 0;
const batch = (): Parameters<EvidenceStore["append"]>[0] => {
  serial += 1;
  const events = sampleTurn(`root-${serial}`, { user_id: "u", thread_id: `t-${serial}` });
  return { batchId: `batch ${serial}`, receivedAt: receivedAt(serial), events };
};

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: { code: string; retryable: boolean }) => [error.code, error.retryable],
  );

const draft = { id: "row", data: {}, created_at: "2026-03-01T10:00:00Z" };

/** Runs the work while another session holds the tables; releases them on request. */
async function whileLocked(work: (release: () => Promise<void>) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: server.url(database) });
  await client.connect();
  await client.query("BEGIN; LOCK TABLE entity_memory, evidence_roots IN ACCESS EXCLUSIVE MODE");
  try {
    await work(async () => void (await client.query("ROLLBACK")));
  } finally {
    await client.end();
  }
}

test("a pool that is used up is busy, and well again afterwards", async () => {
  const url = server.url(database);
  await using small = await postgres({ url, poolSize: 1, connectTimeoutMs: 300 });
  await whileLocked(async (release) => {
    const waiting = small.memory.put({ tenant: "u" }, "entity", draft);
    expect(await failure(small.memory.count({ tenant: "u" }, "entity"))).toEqual([
      "store_busy",
      true,
    ]);
    expect(await failure(small.evidence.append(batch()))).toEqual(["store_busy", true]);
    await release();
    expect((await waiting).version).toBe(1);
  });
  expect(await small.memory.count({ tenant: "u" }, "entity")).toBe(1);
});

test("a statement without end is stopped", async () => {
  const url = server.url(database);
  await using hasty = await postgres({ url, statementTimeoutMs: 200 });
  const sent = batch();
  await whileLocked(async (release) => {
    expect(await failure(hasty.evidence.append(sent))).toEqual(["store_busy", true]);
    expect(await failure(hasty.memory.count({ tenant: "u" }, "entity"))).toEqual([
      "store_busy",
      true,
    ]);
    expect((await hasty.evidence.check()).ok).toBe(false);
    await release();
  });
  await hasty.evidence.append(sent);
  expect(await hasty.evidence.readBack(sent.batchId, sent.receivedAt)).toEqual({
    rows: 3,
    complete: true,
  });
});

test("a restart in the middle: what was acknowledged is there, and sending again leaves one copy", async () => {
  const acknowledged: string[] = [];
  const sent = Array.from({ length: 60 }, batch);
  const held: { row: string; tenant: string }[] = [];
  let stopped: Promise<void> | undefined;
  await Promise.all(
    sent.map(async (one, i) => {
      if (i === 20) stopped = server.stop();
      const answer = await failure(store.evidence.append(one));
      if (answer === "done") acknowledged.push(one.batchId);
      else expect((answer as unknown[])[1]).toBe(true);
      const tenant = `tenant ${i}`;
      const put = await failure(store.memory.put({ tenant }, "entity", draft));
      if (put === "done") held.push({ row: draft.id, tenant });
    }),
  );
  await stopped;
  expect(acknowledged.length).toBeLessThan(sent.length);
  expect(await failure(store.evidence.append(batch()))).toEqual(["store_unavailable", true]);
  expect(await store.memory.check()).toMatchObject({ ok: false, code: "store_unavailable" });
  await server.start();
  for (const id of acknowledged) {
    const back = await store.evidence.readBack(id, "");
    expect(back).toEqual({ rows: 3, complete: true });
  }
  for (const { row, tenant } of held) {
    expect(await store.memory.get({ tenant }, "entity", row)).toBeDefined();
  }
  for (const one of sent) await store.evidence.append(one);
  for (const { events } of sent) {
    const root = events[0]?.root_trace_id ?? "";
    const slice = await store.evidence.root(allTenants, root, { limit: 10 });
    expect([slice.events.length, slice.sourceRows]).toEqual([3, 3]);
  }
});

test("a connection that is cut in a transaction leaves nothing behind", async () => {
  const sent = batch();
  await whileLocked(async (release) => {
    const appending = failure(store.evidence.append(sent));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.run(
      database,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
    );
    expect(await appending).toEqual(["store_unavailable", true]);
    await release();
  });
  expect(await store.evidence.readBack(sent.batchId, sent.receivedAt)).toEqual({
    rows: 0,
    complete: false,
  });
  await store.evidence.append(sent);
  expect((await store.evidence.readBack(sent.batchId, sent.receivedAt)).complete).toBe(true);
});

test("a row that the tables refuse is permanent, and its batch leaves no trace", async () => {
  await server.run(database, "ALTER TABLE evidence_bundles ADD CHECK (body NOT LIKE '%poison%')");
  const events = [sampleEvent("aa"), sampleEvent("bb", { thread_id: "poison" })];
  const sent = { batchId: "poisoned", receivedAt: receivedAt(1), events };
  expect(await failure(store.evidence.append(sent))).toEqual(["store_rejected_row", false]);
  expect((await store.evidence.readBack("poisoned", receivedAt(1))).rows).toBe(0);
  await server.run(database, "DROP TABLE turn_ledger");
  // A table that is missing is damage, and no fault of the row.
  expect(await failure(store.evidence.ledger.countTurns({ scope: allTenants, where: [] }))).toEqual(
    ["store_corrupt", false],
  );
});

test("nobody there, or the wrong word, is said and may pass later", async () => {
  const nowhere = "postgres://u:p@127.0.0.1:1/none";
  expect(await failure(postgres({ url: nowhere }))).toEqual(["store_unavailable", true]);
  const wrong = server.url(database).replace(/:[^:@]*@/, ":wrong@");
  expect(await failure(postgres({ url: wrong }))).toEqual(["store_unavailable", true]);
  const closed = await postgres({ url: server.url(database) });
  await closed.close();
  await closed.close();
  expect(await failure(closed.memory.count({ tenant: null }, "entity"))).toEqual([
    "store_closed",
    false,
  ]);
});
