/** @module Evidence in PostgreSQL beyond the contract: ties across rounds, batches at once. */
import { postgres } from "@turnproof/store";
import type { PostgresProvider } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent, walkPages } from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
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
