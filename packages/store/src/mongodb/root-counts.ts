/** @module RootCounts: number of stored events of a root, and of deletions in it. */
import type { Collection, Db, Document } from "mongodb";

import type { HeldEvents, RootCounts } from "../evidence-store.ts";
import { epochKey } from "../ledger/epoch-key.ts";
import { coded } from "./store-error.ts";

/** Number of deletions in a root, by a hash that identifies no user. */
export function epochsOf(database: Db): Collection<Document> {
  return database.collection("root_epochs");
}

/** Standing of those of the roots that have rows, or had some that were deleted. */
export async function standingOf(
  database: Db,
  roots: readonly string[],
): Promise<ReadonlyMap<string, RootCounts>> {
  const bundles = database.collection("evidence_bundles");
  const rows = await coded(() =>
    bundles
      .aggregate([
        { $match: { root_trace_id: { $in: [...roots] } } },
        { $group: { _id: "$root_trace_id", events: { $sum: "$events" } } },
      ])
      .toArray(),
  );
  const events = new Map(rows.map((row) => [String(row["_id"]), Number(row["events"])]));
  const epochs = await raisedEpochs(epochsOf(database), roots);
  const standing = new Map<string, RootCounts>();
  for (const root of roots) {
    const own = { rows: events.get(root) ?? 0, epoch: epochs.get(root) ?? 0 };
    if (own.rows > 0 || own.epoch > 0) standing.set(root, own);
  }
  return standing;
}

/** All stored events, and deletions. */
export async function heldIn(database: Db): Promise<HeldEvents> {
  const sum = async (of: Collection<Document>, field: string): Promise<number> => {
    const stages = [{ $group: { _id: null, sum: { $sum: `$${field}` } } }];
    const [row] = await coded(() => of.aggregate(stages).toArray());
    return Number(row?.["sum"] ?? 0);
  };
  return {
    events: await sum(database.collection("evidence_bundles"), "events"),
    deletions: await sum(epochsOf(database), "epoch"),
  };
}

/** Epochs of those of the roots with deleted rows. */
export async function raisedEpochs(
  epochs: Collection<Document>,
  roots: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const keys = roots.map((root) => epochKey(root) as never);
  const rows = await coded(() => epochs.find({ _id: { $in: keys } }).toArray());
  const held = new Map(rows.map((row) => [Number(row["_id"]), Number(row["epoch"])]));
  return new Map(
    roots.flatMap((root) => {
      const epoch = held.get(epochKey(root));
      return epoch === undefined ? [] : [[root, epoch] as const];
    }),
  );
}

/** Raises the epoch of a root. */
export async function raiseEpoch(database: Db, root: string): Promise<void> {
  const where = { _id: { $eq: epochKey(root) as never } };
  await coded(() => epochsOf(database).updateOne(where, { $inc: { epoch: 1 } }, { upsert: true }));
}
