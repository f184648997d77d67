/** @module Evidence in PostgreSQL beyond the contract: ties across rounds, batches at once. */
import { postgres } from "@turnproof/store";
import type { PostgresProvider } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent, walkPages } from "@turnproof/store/testing";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";

import { openPool, startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.close());

const open = async (): Promise<PostgresProvider> =>
  postgres({ url: server.url(await server.createDatabase()) });

test("rows of one moment are neither lost nor repeated, whatever ends a page", async () => {
  await using store = await open();
  const spans = Array.from({ length: 300 }, (_, i) => `s${i}`);
  // Numbers of rows with one, two and three digits: their order is a number's, not a text's.
  const events = spans.map((id, i) => sampleEvent(id, { root_trace_id: `root-${i}` }));
  await store.evidence.append({ batchId: "one", receivedAt: receivedAt(1), events });
  const seenIn = async (options: { limit: number; budgetRows?: number }): Promise<string[]> => {
    const pages = await walkPages((o) => store.evidence.page(allTenants, {}, o), options);
    return pages.flatMap((page) => page.events.map((event) => event.span_id ?? ""));
  };
  const ways = [{ limit: 7 }, { limit: 150 }, { limit: 7, budgetRows: 1 }, { limit: 300 }];
  for (const options of ways) {
    const seen = await seenIn(options);
    expect(seen).toHaveLength(spans.length);
    expect(new Set(seen)).toEqual(new Set(spans));
  }
});

test("one batch sent by many at once lies once", async () => {
  await using store = await open();
  const events = Array.from({ length: 50 }, (_, i) => sampleEvent(`s${i}`));
  const batch = { batchId: "same", receivedAt: receivedAt(1), events };
  await Promise.all(Array.from({ length: 8 }, () => store.evidence.append(batch)));
  expect(await store.evidence.readBack("same", receivedAt(1))).toEqual({
    rows: 50,
    complete: true,
  });
  const root = await store.evidence.root(allTenants, "root-1", { limit: 100 });
  expect([root.events.length, root.sourceRows]).toEqual([50, 50]);
});

test("a read that was given up asks nothing more", async () => {
  await using store = await open();
  const signal = AbortSignal.abort();
  const options = { limit: 5, signal };
  await expect(store.evidence.page(allTenants, {}, options)).rejects.toThrow("aborted");
  await expect(store.evidence.root(allTenants, "root-1", options)).rejects.toThrow("aborted");
});

test("events of many batches are counted in slices at one moment, from an index", async () => {
  const database = await server.createDatabase();
  const run = (sql: string): Promise<readonly Record<string, unknown>[]> =>
    server.run(database, sql);
  const pool = openPool({ connectionString: server.url(database) });
  let slices = 0;
  const connect = async (): Promise<pg.PoolClient> => {
    const client = await pool.connect();
    const query = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
      const answer = await client.query(text, values);
      // Rows that go and come while the count runs.
      if (text.includes("batch_no <") && ++slices === 1) await run(moved);
      return answer;
    };
    const release = (destroy?: boolean): void => client.release(destroy);
    const [on, off] = [client.on.bind(client), client.off.bind(client)];
    return { query, release, on, off } as unknown as pg.PoolClient;
  };
  const { evidence } = await postgres({ client: { query: pool.query.bind(pool), connect } });
  await evidence.append({ batchId: "a", receivedAt: receivedAt(1), events: [sampleEvent("a")] });
  // Batches whose numbers have gaps, with bodies of the size of real ones.
  await run(`INSERT INTO evidence_batches (batch_no, batch_id, event_count)
      OVERRIDING SYSTEM VALUE SELECT 100 + i * 3, 'b' || i, 2 FROM generate_series(1, 3000) i;
    INSERT INTO evidence_bundles (root, batch_no, events, words, body)
      SELECT root, 100 + i * 3, 2, words, repeat('x', 1500)
      FROM generate_series(1, 3000) i, (SELECT root, words FROM evidence_bundles) one`);
  const moved = `INSERT INTO evidence_bundles (root, batch_no, events, words, body)
      SELECT root, 9100, events, words, body FROM evidence_bundles WHERE batch_no < 500;
    DELETE FROM evidence_bundles WHERE batch_no BETWEEN 500 AND 9000`;
  await run("VACUUM ANALYZE evidence_bundles");
  const slice = "FROM evidence_bundles WHERE batch_no >= 1 AND batch_no < 5000";
  const plan = await run(`EXPLAIN SELECT sum(events) ${slice}`);
  expect(JSON.stringify(plan)).toContain("Index Only Scan using evidence_bundles_counts");
  expect(await evidence.held()).toEqual({ events: 6_001, deletions: 0 });
  expect(slices).toBeGreaterThan(1);
  const [row] = await run("SELECT sum(events)::int AS events FROM evidence_bundles");
  expect(await evidence.held()).toEqual({ events: row?.["events"], deletions: 0 });
  await expect(evidence.held(AbortSignal.abort())).rejects.toThrow("aborted");
  await pool.end();
});
