/**
 * @module Old PostgreSQL: a database that the last version before bundles wrote answers the same
 * after its events are copied, also when the copy was ended in the middle.
 */
import { readFile } from "node:fs/promises";

import type { PGlite } from "@electric-sql/pglite";
import type { EvidenceBatch } from "@turnproof/evidence";
import { postgres } from "@turnproof/store";
import { defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants, receivedAt, sampleTurn } from "@turnproof/store/testing";
import { epochMicros } from "@turnproof/semconv";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { toStored, toStoredJson } from "../../../packages/store/src/postgres/stored-text.ts";
import { storedForm } from "../../../packages/store/src/stored-event.ts";
import { startPglite } from "../../servers/pglite.ts";
import { openPool, startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { answersOf, oldBatches, wantedOf } from "./old-world.ts";
import { beginCopy, expectCopied } from "./pending-copy.ts";
import { wayBack } from "./way-back.ts";

const sqlOf = (name: string): Promise<string> =>
  readFile(new URL(`../../../packages/store/sql/postgres/${name}.sql`, import.meta.url), "utf8");

const oldSchema = [
  "000_base",
  "001_add_user_id",
  "002_evidence",
  "003_replays",
  "004_trace_content",
];

let server: PostgresServer;
const pools: Pool[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await server.close();
});

/** A database to fill, and the client by which a provider opens it. */
interface OldDatabase {
  readonly client: PGlite | Pool;
  exec(sql: string): Promise<unknown>;
  query<Row extends object>(
    sql: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Row[] }>;
}

const grounds: Readonly<Record<string, () => Promise<OldDatabase>>> = {
  PGlite: async () => {
    const client = await startPglite();
    return {
      client,
      exec: (sql) => client.exec(sql),
      query: (sql, values) => client.query(sql, values),
    };
  },
  "a server": async () => {
    const client = openPool({ connectionString: server.url(await server.createDatabase()) });
    pools.push(client);
    // The server ends before the last connection is gone.
    client.on("error", () => {});
    return {
      client,
      exec: (sql) => client.query(sql),
      query: (sql, values) => client.query(sql, values),
    };
  },
};

/** A database as the last version before bundles left it. */
async function oldDatabase(
  ground: string,
  batches: readonly EvidenceBatch[],
): Promise<OldDatabase> {
  const client = await (grounds[ground] as () => Promise<OldDatabase>)();
  await client.exec(`CREATE TABLE turnproof_migrations (version int PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())`);
  for (const [version, name] of oldSchema.entries()) {
    await client.exec(await sqlOf(name));
    await client.query("INSERT INTO turnproof_migrations VALUES ($1, $2)", [version, name]);
  }
  for (const batch of batches) await writeOld(client, batch);
  return client;
}

async function writeOld(client: OldDatabase, { batchId, receivedAt: at, events }: EvidenceBatch) {
  const { rows } = await client.query<{ batch_no: string }>(
    `INSERT INTO evidence_batches (batch_id, event_count) VALUES ($1, $2) RETURNING batch_no`,
    [toStored(batchId), events.length],
  );
  const old = events.map((stated) => {
    const event = storedForm(stated, at);
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

const count = async (client: OldDatabase, sql: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`SELECT (${sql})::text AS n`)).rows[0]?.n);

describe.each(Object.keys(grounds))("in %s", (ground) => {
  test("a small database is copied when it is opened", { timeout: 120_000 }, async () => {
    const batches = oldBatches(60);
    const wanted = await wantedOf(batches);
    const client = await oldDatabase(ground, batches);
    for (let opened = 0; opened < 2; opened += 1) {
      const { evidence } = await postgres({ client: client.client });
      expect(await answersOf(evidence, batches)).toEqual(wanted);
      expect((await evidence.check()).diagnostics).toBeUndefined();
      // What was stored before is not stored again.
      for (const batch of batches.slice(0, 3)) await evidence.append(batch);
      expect(await answersOf(evidence, batches)).toEqual(wanted);
    }
    expect(await count(client, "SELECT count(*) FROM old_events")).toBe(60 * 5);
    const provider = await postgres({ client: client.client });
    await provider.dropOld();
    expect(await provider.copyOld()).toMatchObject({ events: 0, complete: true });
    expect(await answersOf(provider.evidence, batches)).toEqual(wanted);
    const left = "SELECT count(*) FROM pg_class WHERE relname IN ('old_events', 'evidence_events')";
    expect(await count(client, left)).toBe(0);
  });

  test("old events are compared before they are dropped", { timeout: 120_000 }, async () => {
    const client = await oldDatabase(ground, oldBatches(60));
    const provider = await postgres({ client: client.client });
    const same = { events: 300, missing: 0, roots: 0, deleted: 0, complete: true };
    expect(await provider.checkOld()).toEqual(same);
    const change = (from: string, to: string): Promise<unknown> =>
      client.exec(`UPDATE evidence_bundles SET body = replace(body, '${from}', '${to}')
WHERE seq = (SELECT min(seq) FROM evidence_bundles)`);
    await change("agent-0", "agent-9");
    expect(await provider.checkOld()).toEqual({ ...same, missing: 1, roots: 1 });
    const differs = { code: "migration_differs", field: "1 of 300 events" };
    await expect(provider.dropOld()).rejects.toMatchObject(differs);
    const erase = deleteUserEvidence(provider.evidence, { userId: "another", dryRun: false });
    await expect(erase).rejects.toMatchObject(differs);
    expect(await count(client, "SELECT count(*) FROM old_events")).toBe(300);
    await change("agent-9", "agent-0");
    expect(await provider.checkOld()).toEqual(same);
    const ended = await provider.checkOld({ signal: AbortSignal.abort() });
    expect(ended).toEqual({ ...same, complete: false });
    // What retention took away since is not missing.
    const requested = { policy: defaultRetention, now: "2028-01-01T00:00:00Z", dryRun: false };
    await provider.retention.evidence(requested);
    expect(await provider.checkOld()).toEqual({ ...same, deleted: 300 });
    await provider.dropOld();
  });

  /** Copies of one event under other roots: too many for an opening. */
  const padding = `INSERT INTO evidence_events (batch_no, received_us, event_ns, root_trace_id,
    tenant_said, event_kind, status, source_store, mentions, event)
SELECT batch_no, received_us, event_ns, 'pad-' || n / 9, false, event_kind, status, source_store, '{}',
    jsonb_set(event, '{root_trace_id}', to_jsonb('pad-' || n / 9)) FROM (
    SELECT * FROM evidence_events ORDER BY seq LIMIT 1) AS e, generate_series(1, 20100) AS n`;

  test("the way back stands in the docs", { timeout: 120_000 }, async () => {
    const batches = oldBatches(20);
    const client = await oldDatabase(ground, batches);
    const dump = async (): Promise<unknown> => {
      const events = "SELECT seq, batch_no, event::text AS event FROM evidence_events ORDER BY seq";
      return [
        (await client.query(events)).rows,
        (await client.query("SELECT batch_no, batch_id FROM evidence_batches ORDER BY 1")).rows,
        (await client.query("SELECT version FROM turnproof_migrations ORDER BY 1")).rows,
        (
          await client.query(`SELECT relname FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`)
        ).rows,
      ];
    };
    const before = await dump();
    const { evidence } = await postgres({ client: client.client });
    await evidence.append({
      batchId: "new",
      receivedAt: receivedAt(9),
      events: sampleTurn("n", {}),
    });
    for (const statement of wayBack("postgres")) await client.exec(statement);
    expect(await dump()).toEqual(before);
    const again = await postgres({ client: client.client });
    expect(await answersOf(again.evidence, batches)).toEqual(await wantedOf(batches));
    expect((await again.checkOld()).missing).toBe(0);
  });

  test("a copy that was ended goes on and repeats nothing", { timeout: 120_000 }, async () => {
    const batches = oldBatches(60);
    const client = await oldDatabase(ground, batches);
    await client.exec(padding);
    const provider = await postgres({ client: client.client });
    const sum = "SELECT sum(events) FROM evidence_bundles";
    const held = { events: 60 * 5 + 20_100, inBundles: () => count(client, sum) };
    await beginCopy(provider, held);
    // Another process goes on, and two of them at once.
    const other = await postgres({ client: client.client });
    const seen: number[] = [];
    const [rest] = await Promise.all([
      other.copyOld({ dryRun: false, onProgress: (done, all) => void seen.push(done / all) }),
      other.copyOld({ dryRun: false }),
    ]);
    expect(seen.every((share) => share <= 1)).toBe(true);
    await expectCopied(provider, held, rest);
    const { ledger } = provider.evidence;
    expect(await ledger.countTurns({ scope: allTenants, where: [] })).toBeGreaterThan(2_000);
  });

  test("a user's old rows go with the user", { timeout: 120_000 }, async () => {
    const client = await oldDatabase(ground, oldBatches(20));
    await client.exec(`INSERT INTO evidence_verdicts (turn_key, root_trace_id, tenant_said, user_id,
    judged_ns, verdict) VALUES ('k', 'root-1', true, 'u-1', 0, '{}')`);
    const { evidence } = await postgres({ client: client.client });
    await deleteUserEvidence(evidence, { userId: "u-1" });
    expect(await count(client, "SELECT count(*) FROM evidence_verdicts")).toBe(1);
    await deleteUserEvidence(evidence, { userId: "u-1", dryRun: false });
    expect((await evidence.page({ tenant: "u-1" }, {}, { limit: 9 })).events).toEqual([]);
    const old = "relname IN ('old_events', 'evidence_verdicts')";
    expect(await count(client, `SELECT count(*) FROM pg_class WHERE ${old}`)).toBe(0);
  });
});
