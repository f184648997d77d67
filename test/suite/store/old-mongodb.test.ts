/**
 * @module Old MongoDB: a database that the last version before bundles wrote answers the same after
 * its events are copied, also when the copy was ended in the middle.
 */
import type { EvidenceBatch } from "@turnproof/evidence";
import { mongodb } from "@turnproof/store";
import type { TurnFacet, TurnRecord } from "@turnproof/store";
import { defaultRetention, deleteUserEvidence } from "@turnproof/store/admin";
import { allTenants, sampleRecord, sampleTurn } from "@turnproof/store/testing";
import { epochMicros } from "@turnproof/semconv";
import { MongoClient } from "mongodb";
import type { Collection, Db, Document } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";

import { storedForm } from "../../../packages/store/src/stored-event.ts";
import type { StoredEvent } from "../../../packages/store/src/stored-event.ts";
import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { answersOf, oldBatches, wantedOf } from "./old-world.ts";
import { beginCopy, expectCopied } from "./pending-copy.ts";

let databases: MongoDatabase;
let client: MongoClient;
beforeAll(async () => {
  databases = await openMongo();
  client = new MongoClient(databases.url);
});
afterAll(async () => {
  await client.close();
  await databases.close();
});

/** A database as the last version before bundles left it. */
async function oldDatabase(batches: readonly EvidenceBatch[]): Promise<Db> {
  const database = client.db(databases.other().name);
  const events = batches.flatMap((batch) => oldDocuments(batch));
  await database.collection("evidence_events").insertMany(events);
  const manifests = batches.map((batch) => ({
    _id: batch.batchId as never,
    event_count: batch.events.length,
  }));
  await database.collection("evidence_batches").insertMany(manifests);
  await database.collection("evidence_roots").insertOne({ _id: "root-1" as never, terms: [1] });
  return database;
}

function oldDocuments({ batchId, receivedAt: at, events }: EvidenceBatch): Document[] {
  return events.map((stated, index) => {
    const event = storedForm(stated, at);
    return {
      _id: `${batchId}:${String(index).padStart(7, "0")}`,
      batch_id: batchId,
      received_us: epochMicros(event.received_at),
      root_trace_id: event.root_trace_id,
      event: JSON.stringify(event),
    };
  });
}

test("turns of an older version get their own time and contract results as it is opened", async () => {
  const { name } = databases.other();
  const url = `${databases.url}/${name}`;
  const record = (key: string, ended_at: string, received_at: string | null): TurnRecord => ({
    ...sampleRecord(key, { ended_at, received_at }),
    names: ["app:contract:x", `contract:a@0123456789ab=holds`, "contract:a=holds"],
  });
  const listed = async (): Promise<readonly [readonly string[], readonly TurnFacet[]]> => {
    await using provider = await mongodb({ url });
    const { ledger } = provider.evidence;
    const page = { order: { by: "own_time" }, limit: 9 } as const;
    const { records } = await ledger.listTurns({ scope: allTenants, where: [] }, page);
    const facets = await ledger.turnFacets({ scope: allTenants, where: [] }, ["contract"], 9);
    return [records.map(({ key }) => key), facets];
  };
  {
    await using provider = await mongodb({ url });
    await provider.evidence.ledger.putTurns([
      record("ahead", "2031-01-01T00:00:00Z", "2026-03-01T09:00:00Z"),
      record("on time", "2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"),
      record("not received", "2026-03-01T11:00:00Z", null),
    ]);
  }
  const turns = client.db(name).collection("turn_ledger");
  await turns.updateMany({}, { $unset: { own_time: "", contract_list: "" } });
  const results = { values: [{ value: "a=holds", turns: 3 }], total: 1 };
  expect(await listed()).toEqual([
    ["not received", "on time", "ahead"],
    [{ field: "contract", ...results }],
  ]);
  expect(await turns.countDocuments({ own_time: { $exists: false } })).toBe(0);
});

/** Small events of other roots: too many for an opening. */
async function pad(database: Db): Promise<void> {
  const receivedAt = "2026-03-01T10:00:00.000000Z";
  const events = Array.from({ length: 20_100 }, (_, n) => ({
    ...sampleTurn(`pad-${Math.floor(n / 9)}`, {})[0],
    span_id: `s${n}`,
  }));
  const documents = oldDocuments({ batchId: "pad", receivedAt, events: events as never });
  for (let at = 0; at < documents.length; at += 5_000) {
    await database.collection("evidence_events").insertMany(documents.slice(at, at + 5_000));
  }
}

async function eventsIn(database: Db): Promise<number> {
  const bundles = await database.collection("evidence_bundles").find().toArray();
  return bundles.reduce((sum, bundle) => sum + Number(bundle["events"]), 0);
}

test("a small database is copied when it is opened", { timeout: 120_000 }, async () => {
  const batches = oldBatches(60);
  const wanted = await wantedOf(batches);
  const database = await oldDatabase(batches);
  const options = { client, database: database.databaseName };
  for (let opened = 0; opened < 2; opened += 1) {
    const { evidence } = await mongodb(options);
    expect(await answersOf(evidence, batches)).toEqual(wanted);
    expect((await evidence.check()).diagnostics).toBeUndefined();
    // What was stored before is not stored again.
    for (const batch of batches.slice(0, 3)) await evidence.append(batch);
    expect(await answersOf(evidence, batches)).toEqual(wanted);
  }
  expect(await database.collection("evidence_events").countDocuments({})).toBe(60 * 5);
  const provider = await mongodb(options);
  await provider.dropOld();
  expect(await provider.copyOld()).toMatchObject({ events: 0, complete: true });
  expect(await answersOf(provider.evidence, batches)).toEqual(wanted);
  for (const name of ["evidence_events", "evidence_roots"]) {
    expect(await database.collection(name).countDocuments({})).toBe(0);
  }
});

test("old events are compared before they are dropped", { timeout: 120_000 }, async () => {
  const database = await oldDatabase(oldBatches(60));
  const provider = await mongodb({ client, database: database.databaseName });
  const same = { events: 300, missing: 0, roots: 0, deleted: 0, complete: true };
  expect(await provider.checkOld()).toEqual(same);
  const bundles = database.collection("evidence_bundles");
  const bundle = (await bundles.findOne({ root_trace_id: "root-7" })) as Document;
  const differs = { code: "migration_differs", field: /^\d of 300 events$/ };
  const body = String(bundle["body"]).replaceAll("agent-1", "agent-9");
  await bundles.updateOne({ _id: bundle["_id"] as never }, { $set: { body } });
  expect((await provider.checkOld()).missing).toBeGreaterThan(0);
  await bundles.deleteOne({ _id: bundle["_id"] as never });
  expect(await provider.checkOld()).toMatchObject({ roots: 1, complete: true });
  const dropped = provider.dropOld().catch((error: unknown) => error);
  expect(await dropped).toMatchObject({
    code: differs.code,
    field: expect.stringMatching(differs.field) as string,
  });
  const erase = deleteUserEvidence(provider.evidence, { userId: "another", dryRun: false });
  await expect(erase).rejects.toMatchObject({ code: differs.code });
  expect(await database.collection("evidence_events").countDocuments({})).toBe(300);
  await bundles.insertOne(bundle);
  // What retention took away since is not missing.
  const requested = { policy: defaultRetention, now: "2028-01-01T00:00:00Z", dryRun: false };
  await provider.retention.evidence(requested);
  expect(await provider.checkOld()).toEqual({ ...same, deleted: 300 });
  await provider.dropOld();
});

test("events without a root are copied and compared too", { timeout: 120_000 }, async () => {
  const batches = oldBatches(20);
  const database = await oldDatabase(batches);
  const [first] = oldDocuments(batches[0] as EvidenceBatch);
  const { root_trace_id: _root, ...event } = JSON.parse(String(first?.["event"])) as StoredEvent;
  const rootless = ["", null, ""].map((root_trace_id, at) => ({
    ...first,
    _id: `rootless:${at}` as never,
    batch_id: "rootless",
    root_trace_id,
    event: JSON.stringify({ ...event, event_id: `e-${at}` }),
  }));
  await database.collection<Document>("evidence_events").insertMany(rootless);
  const provider = await mongodb({ client, database: database.databaseName });
  const same = { events: 20 * 5 + 3, missing: 0, roots: 0, deleted: 0, complete: true };
  expect(await provider.checkOld()).toEqual(same);
  await provider.dropOld();
  const found = await provider.evidence.page(allTenants, { store: "all" }, { limit: 500 });
  expect(found.bounded).toBe(false);
  expect(found.events.filter(({ root_trace_id: root }) => root === undefined)).toHaveLength(3);
});

test("a copy that was ended goes on and repeats nothing", { timeout: 180_000 }, async () => {
  const batches = oldBatches(60);
  const database = await oldDatabase(batches);
  await pad(database);
  const provider = await mongodb({ client, database: database.databaseName });
  const held = { events: 60 * 5 + 20_100, inBundles: () => eventsIn(database) };
  await beginCopy(provider, held);
  // As if it had been killed between the documents and its note.
  await database.collection("evidence_copies").deleteMany({});
  const other = await mongodb({ client, database: database.databaseName });
  const seen: number[] = [];
  const rest = await other.copyOld({
    dryRun: false,
    onProgress: (done, all) => void seen.push(done / all),
  });
  expect(seen.at(-1)).toBe(1);
  await expectCopied(provider, held, rest);
  const { ledger } = provider.evidence;
  expect(await ledger.countTurns({ scope: allTenants, where: [] })).toBeGreaterThan(60);
});

/** A client whose inserts of bundles wait for this. */
function waiting(until: Promise<void>, reached: () => void): MongoClient {
  const through = <T extends object>(target: T, own: Record<string, unknown>): T =>
    new Proxy(target, {
      get(held, name) {
        if (typeof name === "string" && name in own) return own[name];
        const value: unknown = Reflect.get(held, name, held);
        return typeof value === "function" ? value.bind(held) : value;
      },
    });
  const insertMany =
    (collection: Collection) =>
    async (documents: Document[], options: object): Promise<unknown> => {
      reached();
      await until;
      return collection.insertMany(documents, options);
    };
  const db = (name: string): Db => {
    const real = client.db(name);
    const collection = (of: string): Collection => {
      const held = real.collection(of);
      return of === "evidence_bundles" ? through(held, { insertMany: insertMany(held) }) : held;
    };
    return through(real, { collection });
  };
  return through(client, { db });
}

test("a slow copy brings nothing of a deleted user back", { timeout: 120_000 }, async () => {
  const database = await oldDatabase(oldBatches(20));
  const name = database.databaseName;
  const go = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  // It has read the old rows and not written them.
  const slow = mongodb({ client: waiting(go.promise, read.resolve), database: name });
  await read.promise;
  const { evidence } = await mongodb({ client, database: name });
  await deleteUserEvidence(evidence, { userId: "u-1", dryRun: false });
  const left = await eventsIn(database);
  go.resolve();
  await slow;
  expect(await eventsIn(database)).toBe(left);
  expect((await evidence.page({ tenant: "u-1" }, {}, { limit: 9 })).events).toEqual([]);
  const rows = await database.collection("turn_ledger").find().toArray();
  expect(JSON.stringify(rows)).not.toContain("u-1");
});

test("a user's old rows go with the user", { timeout: 120_000 }, async () => {
  const database = await oldDatabase(oldBatches(20));
  const verdicts = database.collection("evidence_verdicts");
  await verdicts.insertOne({ root_trace_id: "root-1", tenant_said: true, user_id: "u-1" });
  const { evidence } = await mongodb({ client, database: database.databaseName });
  await deleteUserEvidence(evidence, { userId: "u-1" });
  expect(await verdicts.countDocuments({})).toBe(1);
  await deleteUserEvidence(evidence, { userId: "u-1", dryRun: false });
  expect(await verdicts.countDocuments({})).toBe(0);
  expect((await evidence.page({ tenant: "u-1" }, {}, { limit: 9 })).events).toEqual([]);
  expect(await database.collection("evidence_events").countDocuments({})).toBe(0);
});
