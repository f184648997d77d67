/**
 * @module Old PostgreSQL: a database that the last version before bundles wrote answers the same
 * after its events are copied, also when the copy was ended in the middle.
 */
import { readFile } from "node:fs/promises";

import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import type { EvidenceBatch } from "@turnproof/evidence";
import { postgres } from "@turnproof/store";
import { defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import { everybody, receivedAt, sampleTurn } from "@turnproof/store/testing";
import { expect, test } from "vitest";

import { toStored, toStoredJson } from "../../../packages/store/src/postgres/stored-text.ts";
import { storedForm } from "../../../packages/store/src/stored-event.ts";
import { epochMicros } from "../../../packages/store/src/time.ts";
import { answersOf, oldBatches, wantedOf } from "./old-world.ts";

const sqlOf = (name: string): Promise<string> =>
  readFile(new URL(`../../../packages/store/sql/postgres/${name}.sql`, import.meta.url), "utf8");

const oldSchema = [
  "000_base",
  "001_add_user_id",
  "002_evidence",
  "003_replays",
  "004_trace_content",
];

/** A database as the last version before bundles left it. */
async function oldDatabase(batches: readonly EvidenceBatch[]): Promise<PGlite> {
  const client = await PGlite.create({ extensions: { vector } });
  await client.exec(`CREATE TABLE turnproof_migrations (version int PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())`);
  for (const [version, name] of oldSchema.entries()) {
    await client.exec(await sqlOf(name));
    await client.query("INSERT INTO turnproof_migrations VALUES ($1, $2)", [version, name]);
  }
  for (const batch of batches) await writeOld(client, batch);
  return client;
}

async function writeOld(client: PGlite, { batchId, receivedAt: at, events }: EvidenceBatch) {
  const { rows } = await client.query<{ batch_no: string }>(
    `INSERT INTO evidence_batches (batch_id, event_count) VALUES ($1, $2) RETURNING batch_no`,
    [toStored(batchId), events.length],
  );
  const old = events.map((said) => {
    const event = storedForm(said, at);
    const micros = epochMicros(event.received_at);
    return { root: event.root_trace_id, micros, kind: event.event_kind, event };
  });
  await client.query(
    `INSERT INTO evidence_events (batch_no, received_us, event_ns, root_trace_id, tenant_said,
    event_kind, status, source_store, mentions, event)
SELECT $1, micros, 0, root, false, kind, 'ok', 'trace', '{}', event FROM jsonb_to_recordset($2) AS r(
    root text, micros bigint, kind text, event jsonb)`,
    [rows[0]?.batch_no, toStoredJson(old)],
  );
}

const count = async (client: PGlite, sql: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`SELECT (${sql})::text AS n`)).rows[0]?.n);

test("a small database is copied when it is opened", { timeout: 120_000 }, async () => {
  const batches = oldBatches(60);
  const wanted = await wantedOf(batches);
  const client = await oldDatabase(batches);
  for (let opened = 0; opened < 2; opened += 1) {
    const { evidence } = await postgres({ client });
    expect(await answersOf(evidence, batches)).toEqual(wanted);
    expect((await evidence.check()).diagnostics).toBeUndefined();
    // What was stored before is not stored again.
    for (const batch of batches.slice(0, 3)) await evidence.append(batch);
    expect(await answersOf(evidence, batches)).toEqual(wanted);
  }
  expect(await count(client, "SELECT count(*) FROM old_events")).toBe(60 * 5);
  const provider = await postgres({ client });
  await provider.dropOld();
  expect(await provider.copyOld()).toMatchObject({ events: 0, complete: true });
  expect(await answersOf(provider.evidence, batches)).toEqual(wanted);
  const left = "SELECT count(*) FROM pg_class WHERE relname IN ('old_events', 'evidence_events')";
  expect(await count(client, left)).toBe(0);
});

/** Copies of one event under other roots: too many for an opening. */
const padding = `INSERT INTO evidence_events (batch_no, received_us, event_ns, root_trace_id,
    tenant_said, event_kind, status, source_store, mentions, event)
SELECT batch_no, received_us, event_ns, 'pad-' || n / 9, false, event_kind, status, source_store, '{}',
    jsonb_set(event, '{root_trace_id}', to_jsonb('pad-' || n / 9)) FROM (
    SELECT * FROM evidence_events ORDER BY seq LIMIT 1) AS e, generate_series(1, 20100) AS n`;

test("a copy that was ended goes on and repeats nothing", { timeout: 120_000 }, async () => {
  const batches = oldBatches(60);
  const client = await oldDatabase(batches);
  await client.exec(padding);
  const events = 60 * 5 + 20_100;
  const provider = await postgres({ client });
  const { evidence } = provider;
  expect((await evidence.check()).diagnostics).toEqual(["migration_pending"]);
  // What comes now is stored and shown; what is not copied is missing, and the page says so.
  const fresh = sampleTurn("new", { user_id: "ann" });
  await evidence.append({ batchId: "new", receivedAt: receivedAt(57), events: fresh });
  const page = await evidence.page(everybody, {}, { limit: 10 });
  expect([page.events.length, page.bounded]).toEqual([3, true]);
  // A batch whose events wait for the copy is known to be whole.
  expect(await evidence.readBack("batch-3", receivedAt(3))).toEqual({ rows: 4, complete: true });
  const pending = { code: "migration_pending" };
  await expect(provider.dropOld()).rejects.toMatchObject(pending);
  const now = "2027-01-01T00:00:00Z";
  const asked = { policy: defaultRetention, now };
  await expect(provider.retention.evidence(asked)).rejects.toMatchObject(pending);
  await expect(deleteUserEvidence(evidence, { userId: "u-1" })).rejects.toMatchObject(pending);
  const dry = await provider.copyOld();
  expect(dry).toEqual({ dry_run: true, events, copied: 0, complete: true });
  expect(await count(client, "SELECT sum(events) FROM evidence_bundles")).toBe(3);
  const end = new AbortController();
  const onProgress = (): void => end.abort();
  const first = await provider.copyOld({ dryRun: false, signal: end.signal, onProgress });
  expect(first).toMatchObject({ dry_run: false, events, complete: false });
  expect(first.copied).toBeGreaterThan(0);
  expect(await count(client, "SELECT sum(events) FROM evidence_bundles")).toBe(first.copied + 3);
  // Another process goes on, and two of them at once.
  const other = await postgres({ client });
  const seen: number[] = [];
  const [rest] = await Promise.all([
    other.copyOld({ dryRun: false, onProgress: (done, all) => void seen.push(done / all) }),
    other.copyOld({ dryRun: false }),
  ]);
  expect(rest).toEqual({ dry_run: false, events, copied: events, complete: true });
  expect(seen.every((share) => share <= 1)).toBe(true);
  expect(await count(client, "SELECT sum(events) FROM evidence_bundles")).toBe(events + 3);
  expect(await provider.copyOld({ dryRun: false })).toEqual(rest);
  expect((await evidence.check()).diagnostics).toBeUndefined();
  expect((await evidence.page(everybody, {}, { limit: 10 })).bounded).toBe(false);
  expect(await evidence.ledger.countTurns({ scope: everybody, where: [] })).toBeGreaterThan(2_000);
});

test("a user's old rows go with the user", { timeout: 120_000 }, async () => {
  const client = await oldDatabase(oldBatches(20));
  const { evidence } = await postgres({ client });
  await deleteUserEvidence(evidence, { userId: "u-1", dryRun: false });
  expect((await evidence.page({ tenant: "u-1" }, {}, { limit: 9 })).events).toEqual([]);
  expect(await count(client, "SELECT count(*) FROM pg_class WHERE relname = 'old_events'")).toBe(0);
});
