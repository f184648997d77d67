/** @module RetentionRows: the documents of evidence for a run of retention, and their end. */
import type { Db } from "mongodb";

import { groupBy } from "@turnproof/semconv";
import { saysTenant } from "../evidence-retention.ts";
import type { KeyedRow, QuietRoot, Removal, RetentionRows } from "../evidence-retention.ts";
import { eventOf } from "./evidence-document.ts";
import type { RootIndex } from "./root-index.ts";
import { coded } from "./store-error.ts";

/** A document by its id, and the batch that it came with. */
export interface RetentionKey {
  readonly id: string;
  readonly batch: string;
}

/** The documents of a database. */
export function retentionRows(database: Db, roots: RootIndex): RetentionRows<RetentionKey> {
  const events = database.collection("evidence_events");
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
        const rows: KeyedRow<RetentionKey>[] = [];
        for await (const document of events.find({ root_trace_id: { $eq: root } })) {
          const key = { id: String(document["_id"]), batch: String(document["batch_id"]) };
          rows.push({ key, row: eventOf(document) });
        }
        return rows;
      }),
    remove: (removals) => coded(() => remove(database, roots, removals)),
  };
}

async function* quietRoots(database: Db, before: number): AsyncGenerator<QuietRoot> {
  const found = database
    .collection("evidence_events")
    .aggregate(
      [
        { $group: { _id: "$root_trace_id", last: { $max: "$received_us" } } },
        { $match: { last: { $lt: before } } },
        { $sort: { last: 1, _id: 1 } },
      ],
      { allowDiskUse: true },
    );
  for await (const row of found) yield { root: String(row["_id"]), last: Number(row["last"]) };
}

/** Documents of one statement: a filter has a size. */
const idsPerDelete = 1_000;

async function remove(
  database: Db,
  roots: RootIndex,
  removals: readonly Removal<RetentionKey>[],
): Promise<readonly number[]> {
  const provisioned = (await roots.generation()) !== undefined;
  const done: number[] = [];
  const ended: string[] = [];
  for (const removal of removals) {
    const { root, last, gone, left } = removal;
    if ((await lastOf(database, root)) !== last) {
      done.push(0);
      continue;
    }
    // There is no transaction: what says whose the root is goes last, so that neither a reader nor
    // an interrupted run sees a row that seems to be somebody else's.
    const [first, then] = [
      gone.filter(({ row }) => !saysTenant(row)),
      gone.filter(({ row }) => saysTenant(row)),
    ];
    const deleted = (await removeRows(database, first)) + (await removeRows(database, then));
    if (provisioned) await roots.renew(root, left, last);
    if (left.length === 0) ended.push(root);
    done.push(deleted);
  }
  const verdicts = database.collection("evidence_verdicts");
  if (ended.length > 0) await verdicts.deleteMany({ root_trace_id: { $in: ended } });
  return done;
}

async function lastOf(database: Db, root: string): Promise<number | undefined> {
  const events = database.collection("evidence_events");
  const [newest] = await events
    .find({ root_trace_id: { $eq: root } }, { projection: { received_us: 1 } })
    .sort({ received_us: -1 })
    .limit(1)
    .toArray();
  return newest === undefined ? undefined : Number(newest["received_us"]);
}

/** Deletes documents and counts them off the manifests of their batches. */
async function removeRows(database: Db, rows: readonly KeyedRow<RetentionKey>[]): Promise<number> {
  const events = database.collection("evidence_events");
  const batches = database.collection("evidence_batches");
  let deleted = 0;
  for (let at = 0; at < rows.length; at += idsPerDelete) {
    const some = rows.slice(at, at + idsPerDelete);
    const ids = some.map(({ key }) => key.id as never);
    deleted += (await events.deleteMany({ _id: { $in: ids } })).deletedCount;
    for (const [batch, own] of groupBy(some, ({ key }) => key.batch)) {
      const where = { _id: { $eq: batch as never } };
      await batches.updateOne(where, { $inc: { event_count: -own.length } });
    }
  }
  return deleted;
}
