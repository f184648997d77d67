/**
 * @module MongoDB's native index: provisioned and filled by an operator, never needed, held against
 * the rows exactly, and switched off again without a trace in any answer.
 */
import { mongodb } from "@turnproof/store";
import type { MongodbProvider } from "@turnproof/store";
import {
  contract,
  everybody,
  evidenceClauses,
  isolationClauses,
  receivedAt,
  sampleEvent,
  sampleTurn,
} from "@turnproof/store/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

import { mongodbName, openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase, NamedDatabase } from "../../servers/mongo-database.ts";
import type { MongoServer } from "../../servers/mongodb.ts";
import { effort } from "./effort.ts";

let databases: MongoDatabase;
/** What only the test's own server can show. */
let server: MongoServer | undefined;

beforeAll(async () => {
  databases = await openMongo();
  server = databases.own;
});
afterAll(() => databases.close());

const newDatabase = (): NamedDatabase => databases.other();
const openIn = ({ url }: NamedDatabase, reads?: "native"): Promise<MongodbProvider> =>
  mongodb({ url, ...(reads === undefined ? {} : { reads }) });

async function fill(provider: MongodbProvider, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    const who = { user_id: `user-${n % 7}`, thread_id: `thread-${n % 3}`, agent_id: "helper" };
    const events = sampleTurn(`root-${n}`, who);
    await provider.evidence.append({ batchId: `b${n}`, receivedAt: receivedAt(n), events });
  }
}

/** Commands that a read sends to the collection of rows, by the fields of their filters. */
function meetsRows(before: number): boolean {
  const filters = server?.filters.slice(before) ?? [];
  return filters.some((filter) => JSON.stringify(filter).includes("tenant_said"));
}

test("is provisioned, filled, compared and dropped; each is a dry run first", async () => {
  const database = newDatabase();
  await using provider = await openIn(database, "native");
  const { index, evidence } = provider;
  await fill(provider, 0, 18);
  const scope = { tenant: "user-3" };
  const before = await evidence.page(scope, {}, { limit: 100 });
  expect(await index.migrate()).toEqual({ provisioned: false, stored: 18, indexed: 0 });
  expect(await index.migrate({ dryRun: false })).toEqual({
    provisioned: true,
    stored: 18,
    indexed: 0,
  });
  // What comes now is indexed as it comes; until the rest is, the rows lead.
  await fill(provider, 18, 20);
  expect(await index.state()).toEqual({ provisioned: true, stored: 20, indexed: 2 });
  expect((await index.parity({ scope: everybody })).differences).toBeGreaterThan(0);
  expect(await index.backfill()).toEqual({ provisioned: true, stored: 20, indexed: 2 });
  const seen: number[] = [];
  const onProgress = (done: number): void => void seen.push(done);
  expect(await index.backfill({ dryRun: false, onProgress })).toEqual({
    provisioned: true,
    stored: 20,
    indexed: 20,
  });
  expect(seen.at(-1)).toBe(20);
  const proof = await index.parity({ scope: everybody });
  expect(proof).toMatchObject({ unitsCompared: 20, differences: 0 });
  expect(proof.readsCompared).toBeGreaterThan(20);
  const at = server?.filters.length ?? 0;
  expect(await evidence.page(scope, {}, { limit: 100 })).toEqual(before);
  if (server !== undefined) expect(meetsRows(at)).toBe(false);
  expect(await index.drop()).toMatchObject({ provisioned: true });
  expect(await index.drop({ dryRun: false })).toEqual({
    provisioned: false,
    stored: 20,
    indexed: 0,
  });
  expect(await evidence.page(scope, {}, { limit: 100 })).toEqual(before);
});

test("an interrupted backfill goes on where it was, and misses nothing that came meanwhile", async () => {
  const database = newDatabase();
  await using unaware = await openIn(database);
  await fill(unaware, 0, 230);
  const { index } = unaware;
  await index.migrate({ dryRun: false });
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    if (done >= 100) stop.abort();
  };
  await expect(
    index.backfill({ dryRun: false, signal: stop.signal, onProgress }),
  ).rejects.toThrow();
  expect(await index.state()).toMatchObject({ stored: 230, indexed: 0 });
  await fill(unaware, 230, 235);
  const steps: number[] = [];
  await index.backfill({ dryRun: false, onProgress: (done) => void steps.push(done) });
  // The second run does what the first left: fewer roots than there are.
  expect(steps.at(-1)).toBeLessThan(200);
  expect(await index.state()).toEqual({ provisioned: true, stored: 235, indexed: 235 });
  expect((await index.parity({ scope: everybody })).differences).toBe(0);
}, 120_000);

test("parity sees an entry that says less, one that says more, and one too many", async () => {
  if (server === undefined) return;
  const database = newDatabase();
  await using provider = await openIn(database, "native");
  await provider.index.migrate({ dryRun: false });
  await fill(provider, 0, 4);
  await provider.index.backfill({ dryRun: false });
  const differences = async (): Promise<number> =>
    (await provider.index.parity({ scope: everybody })).differences;
  expect(await differences()).toBe(0);
  const entries = server.documents(database.name, "evidence_roots");
  const [one] = entries;
  const terms = one?.["terms"] as number[];
  Object.assign(one ?? {}, { terms: terms.slice(1) });
  expect(await differences()).toBeGreaterThan(0);
  Object.assign(one ?? {}, { terms: [...terms, 1] });
  expect(await differences()).toBe(1);
  Object.assign(one ?? {}, { terms });
  entries.push({ _id: "no root", first_us: 1, last_us: 2, terms: [1] });
  expect(await differences()).toBe(1);
});

test("a root with more words than an entry holds is a candidate of every read", async () => {
  const database = newDatabase();
  await using provider = await openIn(database, "native");
  await provider.index.migrate({ dryRun: false });
  const who = { root_trace_id: "wide", user_id: "ann" };
  for (const part of [0, 1]) {
    const refs = (n: number): { resource_type: string; ref: string }[] =>
      Array.from({ length: 32 }, (_, at) => ({
        resource_type: "d",
        ref: `ref-${part}-${n}-${at}`,
      }));
    const events = Array.from({ length: 90 }, (_, n) =>
      sampleEvent(`s${part}-${n}`, { ...who, input_refs: refs(n) }),
    );
    await provider.evidence.append({ batchId: `w${part}`, receivedAt: receivedAt(part), events });
  }
  await fill(provider, 10, 12);
  await provider.index.backfill({ dryRun: false });
  const found = await provider.evidence.find({ tenant: "ann" }, "ref-1-89-31", {}, { limit: 5 });
  expect(found.events.map(({ span_id }) => span_id)).toEqual(["s1-89"]);
  expect((await provider.index.parity({ scope: everybody })).differences).toBe(0);
}, 120_000);

contract(`${mongodbName} read natively`, [...evidenceClauses, ...isolationClauses], {
  open: async () => {
    const provider = await openIn(newDatabase(), "native");
    await provider.index.migrate({ dryRun: false });
    return provider.evidence;
  },
  effort,
  timeoutMs: 240_000,
});
