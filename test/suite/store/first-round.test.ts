/**
 * The first round of a page is bounded in each provider: of large roots it reads those that fill
 * the page, as for a part of an export, and not as many as a page of small roots needs.
 */
import { clickhouse, filesystem, mongodb } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent } from "@turnproof/store/testing";
import { afterAll, expect, test, vi } from "vitest";

import type * as RootRounds from "../../../packages/store/src/root-rounds.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

/** Roots that each round of the last page read. */
const rounds: number[] = [];
vi.mock(import("../../../packages/store/src/root-rounds.ts"), async (original) => {
  const real = await original();
  const rootRounds: typeof RootRounds.rootRounds = (roots, load, options) =>
    real.rootRounds(
      roots,
      (some) => {
        rounds.push(some.length);
        return load(some);
      },
      options,
    );
  return { ...real, rootRounds };
});

const directories = temporaryDirectories();
const closes: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closes) await close();
  await directories.remove();
});

/** Opens each provider that reads in rounds; the ephemeral one holds its events in memory. */
const providers: { readonly [name: string]: () => Promise<EvidenceStore> } = {
  clickhouse: async () => clickhouse({ connection: { dataDir: await directories.make() } }),
  filesystem: async () => (await filesystem({ directory: await directories.make() })).evidence,
  "postgres embedded": async () => {
    const embedded = await startEmbeddedPostgres();
    closes.push(() => embedded.engine.close());
    return (await embedded.open()).evidence;
  },
  mongodb: async () => {
    const databases = await openMongo();
    closes.push(() => databases.close());
    return (await mongodb({ url: databases.other().url })).evidence;
  },
};

const roots = 30;
const eventsPerRoot = 100;

test.each(Object.keys(providers))("%s", { timeout: 240_000 }, async (name) => {
  await using store = (await providers[name]?.()) as EvidenceStore;
  for (let at = 0; at < roots; at += 1) {
    const events = Array.from({ length: eventsPerRoot }, (_, index) =>
      sampleEvent(`span-${index}`, { root_trace_id: `root-${at}`, user_id: "ann" }),
    );
    await store.append({ batchId: `batch-${at}`, receivedAt: receivedAt(at), events });
  }
  rounds.length = 0;
  const page = await store.page(allTenants, {}, { limit: 250 });
  expect(page.events.length).toBeGreaterThanOrEqual(250);
  // 250 and a twentieth more, and 64 for small pages: four roots of a hundred events.
  expect(rounds).toEqual([4]);
});
