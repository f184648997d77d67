/**
 * @module MongodbIndex: the native index of the collections, as operators' commands see it. A
 * backfill goes through the roots in their order and keeps how far it came.
 */
import { isDeepStrictEqual } from "node:util";

import type { Db } from "mongodb";

import type {
  NativeIndex,
  NativeIndexOptions,
  NativeIndexState,
  Parity,
  ParityOptions,
} from "../native-index.ts";
import { readsOf, sameAnswers } from "../read-parity.ts";
import { loadRoots } from "./evidence-feed.ts";
import { evidenceReader } from "./evidence-reader.ts";
import { entryOf } from "./root-index.ts";
import type { RootIndex } from "./root-index.ts";
import { coded } from "./store-error.ts";

/** Roots after which a backfill keeps how far it came. */
const rootsPerStep = 100;
/** Newest events whose ids a parity check reads both ways. */
const sampledRows = 250;
/** Looks at a root that differs before it counts: an append may be under way. */
const looksMax = 3;

/** The index as operators' commands see it. */
export function mongodbIndex(database: Db, roots: RootIndex): NativeIndex {
  const batches = database.collection("evidence_batches");
  const state = async (): Promise<NativeIndexState> =>
    coded(async () => {
      const generation = await roots.generation();
      const stored = await batches.countDocuments({});
      const indexed =
        generation === undefined
          ? 0
          : await batches.countDocuments({ indexed: { $eq: generation } });
      return { provisioned: generation !== undefined, stored, indexed };
    });
  return {
    state,
    async migrate({ dryRun = true } = {}) {
      if (!dryRun) await coded(() => roots.provision());
      return state();
    },
    async backfill(options = {}) {
      if (!(options.dryRun ?? true)) await coded(() => backfill(database, roots, options));
      return state();
    },
    parity: (options) => coded(() => parity(database, roots, options)),
    async drop(options = {}) {
      if (!(options.dryRun ?? true)) await coded(() => roots.drop());
      return state();
    },
  };
}

async function backfill(
  database: Db,
  roots: RootIndex,
  { signal, onProgress }: NativeIndexOptions,
): Promise<void> {
  const events = database.collection("evidence_events");
  const batches = database.collection("evidence_batches");
  const generation = await roots.generation();
  if (generation === undefined) return;
  const filling = `${generation} filling`;
  const kept = await roots.checkpoint();
  let after = kept?.generation === generation ? kept.after : "";
  // What is not indexed yet belongs to this run; what comes later says so itself, or waits for the
  // next one.
  if (after === "") {
    const open = { indexed: { $nin: [generation, filling] } };
    await batches.updateMany(open, { $set: { indexed: filling } });
  }
  const all = await countRoots(database);
  let done = 0;
  let step: string[] = [];
  const finish = async (): Promise<void> => {
    if (step.length === 0) return;
    await roots.add((await loadRoots(events, step)).rows);
    after = step.at(-1) ?? after;
    await roots.keepCheckpoint({ generation, after });
    done += step.length;
    step = [];
    onProgress?.(Math.min(done, all), all);
  };
  for await (const root of rootNames(database, after)) {
    signal?.throwIfAborted();
    step.push(root);
    if (step.length >= rootsPerStep) await finish();
  }
  await finish();
  await batches.updateMany({ indexed: { $eq: filling } }, { $set: { indexed: generation } });
  await roots.keepCheckpoint({ generation, after: "" });
}

/** Names of all roots behind one, in the order of their bytes. */
async function* rootNames(database: Db, after: string): AsyncGenerator<string> {
  const found = database
    .collection("evidence_events")
    .aggregate(
      [
        { $match: { root_trace_id: { $gt: after } } },
        { $group: { _id: "$root_trace_id" } },
        { $sort: { _id: 1 } },
      ],
      { allowDiskUse: true },
    );
  for await (const row of found) yield String(row["_id"]);
}

async function countRoots(database: Db): Promise<number> {
  let count = 0;
  for await (const _root of rootNames(database, "")) count += 1;
  return count;
}

/** Every entry against one made anew from its root's rows, then reads of many ids both ways. */
async function parity(database: Db, roots: RootIndex, options: ParityOptions): Promise<Parity> {
  const { scope, signal, onProgress } = options;
  const events = database.collection("evidence_events");
  const all = await countRoots(database);
  let [unitsCompared, readsCompared, differences] = [0, 0, 0];
  for await (const root of rootNames(database, "")) {
    signal?.throwIfAborted();
    if (!(await isIndexed(database, roots, root))) differences += 1;
    unitsCompared += 1;
    onProgress?.(Math.min(unitsCompared, all), all);
  }
  // An entry without a root leads to nothing; it is a difference all the same.
  const entries = await roots.entries();
  if (entries > unitsCompared) differences += entries - unitsCompared;
  const native = evidenceReader(events, roots);
  const compatible = evidenceReader(events);
  const sample = await compatible.page(scope, { store: "all" }, { limit: sampledRows });
  for (const read of readsOf(sample.events, scope)) {
    signal?.throwIfAborted();
    if (!(await sameAnswers(read, native, compatible))) differences += 1;
    readsCompared += 1;
  }
  return { unitsCompared, readsCompared, differences };
}

async function isIndexed(database: Db, roots: RootIndex, root: string): Promise<boolean> {
  const events = database.collection("evidence_events");
  for (let look = 0; look < looksMax; look += 1) {
    const held = await roots.entry(root);
    const wanted = entryOf(root, (await loadRoots(events, [root])).rows);
    if (held === undefined) continue;
    const terms = held.wide === true ? wanted.terms : held.terms;
    if (isDeepStrictEqual({ ...held, terms, wide: false }, { ...wanted, wide: false })) return true;
  }
  return false;
}
