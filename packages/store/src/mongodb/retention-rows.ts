/** @module RetentionRows: reads bundles by root for retention, and deletes them. */
import { groupBy } from "@turnproof/semconv";
import type { EvidenceBatch } from "@turnproof/evidence";
import type { Db, Document } from "mongodb";

import { decodeBody } from "../bundle/decode.ts";
import { joinSegments } from "../bundle/encode.ts";
import { pinnedBatch, withoutCopies } from "../evidence-erasure.ts";
import { namesTenant } from "../evidence-retention.ts";
import type { QuietRoot, Removal, RetentionRows } from "../evidence-retention.ts";
import { recordRoots } from "../ledger/record-roots.ts";
import { settledEvents } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { mongodbOperatorRows } from "./operator-rows.ts";
import { epochsOf, raiseEpoch, standingOf } from "./root-counts.ts";
import { coded } from "./store-error.ts";
import { mongodbTurns } from "./turn-collection.ts";

/** The rows of a database. A row is identified by its position under its root. */
export function retentionRows(
  database: Db,
  append: (batch: EvidenceBatch) => Promise<void>,
): RetentionRows<number> {
  return {
    countQuiet: (before) =>
      coded(async () => {
        let count = 0;
        for await (const _root of quietRoots(database, before)) count += 1;
        return count;
      }),
    quiet: (before) => quietRoots(database, before),
    load: (root) =>
      coded(async () => {
        const held = await bundlesOf(database, root);
        return held.flatMap(eventsOf).map((row, key) => ({ key, row }));
      }),
    remove: (removals) => coded(() => remove(database, append, removals)),
    written: {
      archive: mongodbOperatorRows(database),
      standing: (roots) => standingOf(database, roots),
      turnsOf: (roots) =>
        mongodbTurns(database.collection("turn_ledger"), epochsOf(database)).turnsOf(roots),
    },
  };
}

async function* quietRoots(database: Db, before: number): AsyncGenerator<QuietRoot> {
  const found = database
    .collection("evidence_bundles")
    .aggregate(
      [
        { $group: { _id: "$root_trace_id", last: { $max: "$last_us" } } },
        { $match: { last: { $lt: before } } },
        { $sort: { last: 1, _id: 1 } },
      ],
      { allowDiskUse: true },
    );
  for await (const row of found) yield { root: String(row["_id"]), last: Number(row["last"]) };
}

function bundlesOf(database: Db, root: string): Promise<Document[]> {
  return database
    .collection("evidence_bundles")
    .find({ root_trace_id: { $eq: root } })
    .sort({ _id: 1 })
    .toArray();
}

function eventsOf(document: Document): readonly StoredEvent[] {
  return decodeBody(String(document["root_trace_id"]), joinSegments([String(document["body"])]));
}

/**
 * Replaces each root that has not grown since it was read with its remaining rows. There is no
 * transaction: the remaining rows are written first, and among the deleted ones those with the
 * tenant are last, so that neither a reader nor an interrupted run sees a row under the wrong
 * tenant.
 */
async function remove(
  database: Db,
  append: (batch: EvidenceBatch) => Promise<void>,
  removals: readonly Removal<number>[],
): Promise<readonly number[]> {
  const done: number[] = [];
  for (const { root, last, gone, left } of removals) {
    const held = await bundlesOf(database, root);
    if (held.some((document) => Number(document["last_us"]) > last)) {
      done.push(0);
      continue;
    }
    // Turns first, because they name the user: after a killed run the remaining rows lead the next
    // one here again.
    await recordLeft(database, root, left);
    const batch = pinnedBatch(withoutCopies(left));
    if (batch !== undefined) await append(batch);
    const old = held.filter((document) => document["batch_id"] !== batch?.batchId);
    const naming = new Set(old.filter((document) => eventsOf(document).some(namesTenant)));
    await forget(
      database,
      old.filter((document) => !naming.has(document)),
    );
    await forget(database, [...naming]);
    done.push(gone.length);
  }
  return done;
}

/** Turns of the remaining rows, under a higher epoch; the judge settles them. */
async function recordLeft(database: Db, root: string, left: readonly StoredEvent[]): Promise<void> {
  const collection = database.collection("turn_ledger");
  const turns = mongodbTurns(collection, epochsOf(database));
  await raiseEpoch(database, root);
  const held = await turns.turnsOf([root]);
  const keys = held.map(({ key }) => key as never);
  await collection.deleteMany({ _id: { $in: keys } });
  const events = settledEvents(left);
  const epoch = (await standingOf(database, [root])).get(root)?.epoch ?? 1;
  await recordRoots(turns, [{ root, events, rows: withoutCopies(left).length, epoch, held }]);
  // No older version returns under the new epoch, so the keys need not be kept for that.
  await collection.deleteMany({ _id: { $in: keys }, gone: { $eq: true } });
}

/** Documents of one statement: a filter has a maximum size. */
const idsPerDelete = 1_000;

/** Deletes documents and subtracts their events from the manifests of their batches. */
async function forget(database: Db, documents: readonly Document[]): Promise<void> {
  const bundles = database.collection("evidence_bundles");
  const batches = database.collection("evidence_batches");
  for (let at = 0; at < documents.length; at += idsPerDelete) {
    const some = documents.slice(at, at + idsPerDelete);
    const ids = some.map((document) => document["_id"] as never);
    await bundles.deleteMany({ _id: { $in: ids } });
    for (const [batch, own] of groupBy(some, (document) => String(document["batch_id"]))) {
      const events = own.reduce((sum, document) => sum + Number(document["events"]), 0);
      const where = { _id: { $eq: batch as never } };
      await batches.updateOne(where, { $inc: { event_count: -events } });
    }
  }
}
