/**
 * @module Mongodb: evidence and memory in MongoDB, by the official driver. The filter is in every
 * find and in the filter block of the vector search (requirements: Provider scoping).
 */
import {
  CodedError,
  isoNow,
  memoryCollections,
  scopedKinds,
  sharedKinds,
} from "@turnproof/semconv";
import type { Collection, Db, Document, MongoClient } from "mongodb";

import { loadDriver } from "../driver.ts";
import { offerErasure } from "../erasure.ts";
import { erasureOf } from "../evidence-erasure.ts";
import type { CheckResult, EvidenceStore } from "../evidence-store.ts";
import { retainEvidence } from "../evidence-retention.ts";
import { retainMemory } from "../memory/memory-retention.ts";
import { checkedWith, requireCopied } from "../old-evidence.ts";
import type { OldEvents } from "../old-evidence.ts";
import type { AdministeredMemory, Provider } from "../provider.ts";
import { operatorRowsOf } from "../operator-rows.ts";
import { refusePrepared } from "../prepared-refusal.ts";
import { capabilitiesOf } from "../providers.ts";
import type { Retention } from "../retention.ts";
import type { Reads } from "../scoped-reads.ts";
import { shortRootsOf } from "../short-roots.ts";
import { checkBy } from "../store-check.ts";
import { erasureRows } from "./erasure-rows.ts";
import { bundleDocuments } from "./bundle-document.ts";
import { bundleReads } from "./bundle-reads.ts";
import { adoptLegacy, legacyDiagnostics, makeUniqueIndex } from "../legacy/memory-mongodb.ts";
import { legacyBundles } from "../legacy/bundles-mongodb.ts";
import { mongodbAdmin } from "./mongodb-admin.ts";
import { mongodbMemory } from "./mongodb-memory.ts";
import type { MongodbOptions } from "./mongodb-options.ts";
import { mongodbShared } from "./mongodb-shared.ts";
import { insertNew } from "./new-documents.ts";
import { mongodbOperatorRows, operatorCollection } from "./operator-rows.ts";
import { oldEvents, waitingOf } from "./old-events.ts";
import { retentionRows } from "./retention-rows.ts";
import { epochsOf, heldIn, standingOf } from "./root-counts.ts";
import { coded } from "./store-error.ts";
import { quietRoots } from "./quiet-roots.ts";
import { mongodbTurns } from "./turn-collection.ts";
import { ensureTurnIndexes, fillContractResults, fillOwnTimes } from "./turn-documents.ts";
import { vectorIndexes } from "./vector-index.ts";
import type { MongoVectorIndexes } from "./vector-index.ts";

/** The provider, with operator-only operations. */
export interface MongodbProvider extends Provider {
  /** Copies events of an older version; the originals remain until they are dropped. */
  readonly copyOld: OldEvents["copy"];
  /** Compares those events with the copy. */
  readonly checkOld: OldEvents["check"];
  /**
   * Compares, and drops those events. @throws CodedError `migration_pending`, `migration_differs`
   */
  readonly dropOld: OldEvents["drop"];
  /** The search indexes and whether they filter by tenant. */
  readonly vectors: MongoVectorIndexes;
}

const exactRowsMax = 10_000;

/** Opens the provider. Rejects with `store_unavailable` when no server answers. */
export async function mongodb(options: MongodbOptions): Promise<MongodbProvider> {
  const { client, owned } = await openClient(options);
  const database = client.db(options.database ?? databaseOf(options.url));
  const mayChange = options.manageIndexes ?? true;
  try {
    if (mayChange) {
      await ensureIndexes(database);
      await adoptLegacy(database);
    }
  } catch (error) {
    if (owned) await client.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    if (owned) await client.close();
  };
  const clock = options.clock ?? isoNow;
  const vectors = vectorIndexes(database, mayChange);
  if (mayChange) await vectors.reconcile();
  const parts = { database, clock, vectors, exactRowsMax: options.exactRowsMax ?? exactRowsMax };
  const memory: AdministeredMemory = {
    name: "mongodb",
    ...mongodbMemory(parts),
    shared: mongodbShared(database, clock),
    admin: mongodbAdmin(database, clock),
    check: async () => {
      const checked = await check(database);
      if (!checked.ok) return checked;
      const found = [...(await vectors.diagnostics()), ...(await legacyDiagnostics(database))];
      return { ...checked, diagnostics: found };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  const legacy = await legacyBundles(database);
  const old = await oldEvents(database, mayChange);
  const reader = bundleReads(bundlesOf(database), { pending: () => old.pending(), legacy });
  const evidence = evidenceOf({ database, reads: reader, old, close });
  const append = evidence.append.bind(evidence);
  offerErasure(evidence, async (requested) => {
    await requireCopied(old);
    return erasureOf(erasureRows({ database, append, old, legacy }))(requested);
  });
  const retention: Retention = {
    async evidence(requested) {
      await requireCopied(old);
      return retainEvidence(retentionRows(database, append), requested);
    },
    memory: (requested) => retainMemory(memory.admin, requested),
  };
  return {
    name: "mongodb",
    evidence,
    memory,
    retention,
    copyOld: (requested) => old.copy(requested),
    checkOld: (requested) => old.check(requested),
    dropOld: () => old.drop(),
    vectors,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function openClient(
  options: MongodbOptions,
): Promise<{ readonly client: MongoClient; readonly owned: boolean }> {
  if (options.client !== undefined) return { client: options.client, owned: false };
  if (options.url === undefined) throw new CodedError("not_configured", { field: "url" });
  const driver = await loadDriver("mongodb", () => import("mongodb"));
  const timeoutMs = options.timeoutMs ?? 5_000;
  const client = new driver.MongoClient(options.url, {
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    appName: "turnproof",
    // The type of a value decides the store's answer, so undefined must not become null.
    ignoreUndefined: true,
  });
  try {
    await coded(async () => client.connect());
  } catch (error) {
    // Its monitors would keep looking for an unreachable server.
    await client.close().catch(() => {});
    throw error;
  }
  return { client, owned: true };
}

function databaseOf(url: string | undefined): string {
  const path = url === undefined ? "" : url.replace(/^[a-z+]+:\/\/[^/]*\/?/, "").split("?")[0];
  return path === undefined || path === "" ? "turnproof" : path;
}

/** Indexes of every collection, and what they need; repeating it changes nothing. */
async function ensureIndexes(database: Db): Promise<void> {
  await coded(async () => {
    for (const kind of scopedKinds) {
      const collection = database.collection(memoryCollections[kind]);
      await makeUniqueIndex(collection, { user_id: 1, id: 1 });
      await collection.createIndex({ user_id: 1, created_key: -1, id: 1 });
      // Administration reads every tenant in this order, and finds legacy rows by it.
      await collection.createIndex({ created_key: -1, id: 1, user_id: 1 });
    }
    for (const kind of sharedKinds) {
      const collection = database.collection(memoryCollections[kind]);
      await makeUniqueIndex(collection, { id: 1 });
      await collection.createIndex({ created_key: -1, id: 1 });
    }
    const bundles = bundlesOf(database);
    // A range of the events' own times is decided by the index, without the documents.
    await bundles.createIndex({ last_us: -1, _id: -1, own_from: 1, own_to: 1 });
    await bundles.createIndex({ root_trace_id: 1 });
    await bundles.createIndex({ batch_id: 1 });
    await bundles.createIndex({ words: 1, last_us: -1 });
    await operatorCollection(database).createIndex({ kind: 1, place: 1 });
    await ensureTurnIndexes(turnsOf(database));
    await fillOwnTimes(turnsOf(database));
    await fillContractResults(turnsOf(database));
  });
}

function bundlesOf(database: Db): Collection<Document> {
  return database.collection("evidence_bundles");
}

function turnsOf(database: Db): Collection<Document> {
  return database.collection("turn_ledger");
}

interface MongoParts {
  readonly database: Db;
  readonly reads: Reads;
  readonly old: OldEvents;
  readonly close: () => Promise<void>;
}

function evidenceOf({ database, reads, old, close }: MongoParts): EvidenceStore {
  const bundles = bundlesOf(database);
  const batches = database.collection("evidence_batches");
  const store: EvidenceStore = {
    name: "mongodb",
    capabilities: capabilitiesOf("mongodb"),
    sources: ["trace", "conversation", "tool_log"],
    ledger: mongodbTurns(turnsOf(database), epochsOf(database)),
    operatorRows: operatorRowsOf(mongodbOperatorRows(database)),
    async append(batch) {
      const documents = await bundleDocuments(batch);
      await coded(async () => {
        if ((await batches.findOne({ _id: { $eq: batch.batchId as never } })) !== null) return;
        await insertNew(bundles, documents);
        // The manifest is written last: an interrupted batch never counts as complete.
        const manifest = { _id: batch.batchId as never, event_count: batch.events.length };
        await insertNew(batches, [manifest]);
      });
    },
    appendPrepared: refusePrepared,
    async readBack(batchId) {
      return coded(async () => {
        const manifest = await batches.findOne({ _id: { $eq: batchId as never } });
        const held = await bundles
          .find({ batch_id: { $eq: batchId } }, { projection: { events: 1 } })
          .toArray();
        const waiting = old.pending() ? await waitingOf(database, batchId) : 0;
        const rows = held.reduce((sum, row) => sum + Number(row["events"]), waiting);
        return { rows, complete: manifest !== null && manifest["event_count"] === rows };
      });
    },
    ...reads,
    shortRoots: (...requested) => shortRootsOf(store, ...requested),
    quietRoots: (since, before, limit) => quietRoots(bundles, since, before, limit),
    standing: (roots) => standingOf(database, roots),
    held: () => heldIn(database),
    check: () => checkedWith(old, () => check(database)),
    close,
    [Symbol.asyncDispose]: close,
  };
  return store;
}

function check(database: Db): Promise<CheckResult> {
  return checkBy(() => database.command({ ping: 1 }));
}
