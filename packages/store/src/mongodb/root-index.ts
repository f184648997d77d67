/**
 * @module RootIndex: the native index over evidence: one document per root with the hashes of the
 * words that its rows say, and when its first and last row came. It may say more than the rows do,
 * never less, so what it leads to is decided exactly by the rows themselves.
 */
import { randomUUID } from "node:crypto";

import type { AnyBulkWriteOperation, Collection, Db, Document } from "mongodb";

import { groupBy } from "@turnproof/semconv";
import { termsOf } from "../index-terms.ts";
import type { KnownRoot } from "../root-rounds.ts";
import type { StoredEvent } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { duplicateKey } from "./store-error.ts";

/** What an index document says of a root. */
export interface RootEntry extends KnownRoot {
  /** Sorted. */
  readonly terms: readonly number[];
  /** True where the root has more terms than an entry holds: every read is led to it. */
  readonly wide: boolean;
}

/** How far a backfill came: the generation it filled, and the last root that it did. */
export interface Checkpoint {
  readonly generation: string;
  readonly after: string;
}

/** The index of one database. */
export interface RootIndex {
  /** Name of the standing index; undefined where none is provisioned. */
  generation(): Promise<string | undefined>;
  /** True while every batch that was acknowledged is indexed. */
  isComplete(): Promise<boolean>;
  /** Roots that may hold what has all these terms, newest last receipt first. */
  candidates(terms: readonly number[]): AsyncIterable<KnownRoot>;
  /** Adds what these rows say; the same rows again change nothing. */
  add(rows: readonly StoredEvent[]): Promise<void>;
  entry(root: string): Promise<RootEntry | undefined>;
  entries(): Promise<number>;
  /** Makes the entry of a root anew from what is left of it, unless newer rows came since. */
  renew(root: string, rows: readonly StoredEvent[], lastSeen: number): Promise<void>;
  provision(): Promise<void>;
  drop(): Promise<void>;
  checkpoint(): Promise<Checkpoint | undefined>;
  keepCheckpoint(checkpoint: Checkpoint): Promise<void>;
}

/** Terms of one root beyond which it is a candidate of every read: a document has a size. */
const termsMax = 5_000;
const provisionId = "provision";
const checkpointId = "checkpoint";

/** The index over a database. */
export function rootIndex(database: Db): RootIndex {
  const roots = database.collection("evidence_roots");
  const batches = database.collection("evidence_batches");
  const notes = database.collection("evidence_index");
  const note = (id: string): Promise<Document | null> =>
    notes.findOne({ _id: { $eq: id as never } });
  const keep = (id: string, fields: Document): Promise<unknown> =>
    notes.updateOne({ _id: { $eq: id as never } }, { $set: fields }, { upsert: true });
  const generation = async (): Promise<string | undefined> => {
    const found = (await note(provisionId))?.["generation"] as unknown;
    return typeof found === "string" ? found : undefined;
  };
  return {
    generation,
    async isComplete() {
      const standing = await generation();
      if (standing === undefined) return false;
      return (await batches.findOne({ indexed: { $ne: standing } })) === null;
    },
    async *candidates(terms) {
      const where = { $or: [{ terms: { $all: [...terms] } }, { wide: { $eq: true } }] };
      const found = roots
        .find(where, { projection: { first_us: 1, last_us: 1 } })
        .sort({ last_us: -1, _id: -1 });
      for await (const document of found) yield knownRoot(document);
    },
    add: (rows) => addRows(roots, rows),
    async entry(root) {
      const document = await roots.findOne({ _id: { $eq: root as never } });
      if (document === null) return undefined;
      const wide = document["wide"] === true;
      return { ...knownRoot(document), terms: termsIn(document), wide };
    },
    entries: () => roots.countDocuments({}),
    renew: (root, rows, lastSeen) => renew(roots, root, rows, lastSeen),
    async provision() {
      if ((await generation()) !== undefined) return;
      await roots.createIndex({ terms: 1, last_us: -1, _id: -1 });
      await roots.createIndex({ wide: 1 });
      await batches.createIndex({ indexed: 1 });
      await keep(provisionId, { generation: randomUUID() });
    },
    async drop() {
      // First nobody is led by it any more; a new one has another generation.
      await notes.deleteMany({ _id: { $in: [provisionId, checkpointId] as never[] } });
      await roots.deleteMany({});
    },
    async checkpoint() {
      const found = await note(checkpointId);
      if (found === null) return undefined;
      return { generation: String(found["generation"]), after: String(found["after"]) };
    },
    async keepCheckpoint(checkpoint) {
      await keep(checkpointId, { ...checkpoint });
    },
  };
}

/** What an index says of the rows of one root. */
export function entryOf(root: string, rows: readonly StoredEvent[]): RootEntry {
  const times = rows.map((row) => epochMicros(row.received_at));
  const first = times.reduce((a, b) => Math.min(a, b), Infinity);
  const last = times.reduce((a, b) => Math.max(a, b), 0);
  return { root, first, last, terms: termsOf(rows), wide: false };
}

function knownRoot(document: Document): KnownRoot {
  const [first, last] = [Number(document["first_us"]), Number(document["last_us"])];
  return { root: String(document["_id"]), first, last };
}

function termsIn(document: Document): readonly number[] {
  const terms: unknown = document["terms"];
  return Array.isArray(terms) ? terms.map(Number).toSorted((a, b) => a - b) : [];
}

/** Roots of one bulk of writes. */
const rootsPerWrite = 500;

async function addRows(roots: Collection<Document>, rows: readonly StoredEvent[]): Promise<void> {
  const entries = [...groupBy(rows, (row) => row.root_trace_id ?? "")].map(([root, own]) =>
    entryOf(root, own),
  );
  for (let at = 0; at < entries.length; at += rootsPerWrite) {
    const some = entries.slice(at, at + rootsPerWrite);
    const narrow = some.filter(({ terms }) => terms.length <= termsMax);
    const refused = await refusedOf(roots, narrow);
    // Of two that make one document at once the second is refused, and finds it there now; what is
    // refused again is full.
    const full = new Set(await refusedOf(roots, refused));
    const wide = some.filter((entry) => entry.terms.length > termsMax || full.has(entry));
    if (wide.length > 0) await roots.bulkWrite(wide.map(wideWrite), { ordered: false });
  }
}

/** Adds the terms unless the document is full; then its key is there already and this is refused. */
function narrowWrite({ root, first, last, terms }: RootEntry): AnyBulkWriteOperation<Document> {
  const filter = {
    $and: [{ _id: { $eq: root as never } }, { [`terms.${termsMax}`]: { $exists: false } }],
  };
  const update = {
    $min: { first_us: first },
    $max: { last_us: last },
    $addToSet: { terms: { $each: [...terms] } },
  };
  return { updateOne: { filter, update, upsert: true } };
}

function wideWrite({ root, first, last }: RootEntry): AnyBulkWriteOperation<Document> {
  const update = { $min: { first_us: first }, $max: { last_us: last }, $set: { wide: true } };
  return { updateOne: { filter: { _id: { $eq: root as never } }, update, upsert: true } };
}

/** Writes the entries; those whose key was there already under another document. */
async function refusedOf(
  roots: Collection<Document>,
  entries: readonly RootEntry[],
): Promise<readonly RootEntry[]> {
  if (entries.length === 0) return [];
  try {
    await roots.bulkWrite(entries.map(narrowWrite), { ordered: false });
    return [];
  } catch (error) {
    const failures = [(error as { readonly writeErrors?: unknown }).writeErrors ?? []].flat() as {
      readonly code?: number;
      readonly index?: number;
    }[];
    if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) throw error;
    return failures.flatMap(({ index }) => entries[index ?? -1] ?? []);
  }
}

async function renew(
  roots: Collection<Document>,
  root: string,
  rows: readonly StoredEvent[],
  lastSeen: number,
): Promise<void> {
  // An append that came meanwhile raised the last receipt; its words must not be lost.
  const where = { $and: [{ _id: { $eq: root as never } }, { last_us: { $lte: lastSeen } }] };
  if (rows.length === 0) {
    await roots.deleteOne(where);
    return;
  }
  const { first, last, terms } = entryOf(root, rows);
  const narrow = terms.length <= termsMax;
  const fields = {
    first_us: first,
    last_us: last,
    ...(narrow ? { terms: [...terms], wide: false } : {}),
  };
  await roots.updateOne(where, { $set: fields });
}
