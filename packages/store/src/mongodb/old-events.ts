/**
 * @module OldEvents: copies the events collection of versions before the ledger into bundles, root
 * by root. Keys of documents are derived from their content, so a repeated step writes nothing
 * twice, and the last copied root is recorded. The collection remains until it is dropped.
 */
import { createHash } from "node:crypto";

import { CodedError, groupBy } from "@turnproof/semconv";
import type { Db, Document, Filter } from "mongodb";

import type { CopyOptions, CopyReport, ParityReport } from "../evidence-admin.ts";
import { namesTenant } from "../evidence-retention.ts";
import { recordRoots } from "../ledger/record-roots.ts";
import type { OldEvents } from "../old-evidence.ts";
import { compareOld, requireParity } from "../old-parity.ts";
import { settledEvents } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import { documentsOf } from "./bundle-document.ts";
import { rowsOf } from "./bundle-reads.ts";
import { insertNew } from "./new-documents.ts";
import { epochsOf, raisedEpochs, standingOf } from "./root-counts.ts";
import { coded, numberOf } from "./store-error.ts";
import { mongodbTurns } from "./turn-collection.ts";

/** Most events that are copied when the collection is opened. */
const eventsAtOpenMax = 20_000;
/** Roots and events of one step; a root is copied whole. */
const rootsPerStep = 200;
const eventsPerStep = 5_000;

const oldCollection = "evidence_events";
/** The index and the verdicts of an earlier version. */
const verdicts = "evidence_verdicts";
const besides = ["evidence_roots", "evidence_index", verdicts] as const;

/** Data of an earlier version in a database; copies a small amount if allowed. */
export async function oldEvents(database: Db, mayChange: boolean): Promise<OldEvents> {
  let pending = (await stateOf(database)) === "pending";
  const old: OldEvents = {
    pending: () => pending,
    async refresh() {
      if (pending) pending = (await stateOf(database)) === "pending";
      return pending;
    },
    async copy(options = {}) {
      const report = await coded(() => copyEvents(database, options));
      await old.refresh();
      return report;
    },
    check: (options) => coded(() => checkEvents(database, options)),
    async drop() {
      if (await old.refresh()) throw new CodedError("migration_pending");
      requireParity(await old.check());
      await dropOldEvents(database);
    },
  };
  if (pending && mayChange && (await isSmall(database))) await old.copy({ dryRun: false });
  if (mayChange && (await hasVerdictsAlone(database))) await dropCollection(database, verdicts);
  return old;
}

/** True where verdicts of an earlier version exist without old events. */
async function hasVerdictsAlone(database: Db): Promise<boolean> {
  return coded(async () => {
    const held = await database.collection(verdicts).findOne({}, { projection: { _id: 1 } });
    return held !== null && (await stateOf(database)) === "none";
  });
}

/** Drops the collections of an earlier version. */
async function dropOldEvents(database: Db): Promise<void> {
  for (const name of [...besides, oldCollection]) await dropCollection(database, name);
}

async function dropCollection(database: Db, name: string): Promise<void> {
  await coded(async () => {
    await database.dropCollection(name).catch((error: unknown) => {
      if (numberOf(error) !== namespaceNotFound) throw error;
    });
  });
}

/** Error of a server before version 7 for a missing collection. */
const namespaceNotFound = 26;

/** Events of this batch that are not copied yet. */
export async function waitingOf(database: Db, batchId: string): Promise<number> {
  const after = behind((await noteOf(database)).after);
  return database
    .collection(oldCollection)
    .countDocuments({ batch_id: { $eq: batchId }, ...after });
}

interface Note {
  /** The last root that was copied; undefined before the first, which may be the empty one. */
  readonly after: string | undefined;
  readonly complete: boolean;
}

/** Condition of the documents that come after this root. */
function behind(after: string | undefined): Filter<Document> {
  return after === undefined ? {} : { root_trace_id: { $gt: after } };
}

/** The root of a document; without one it is the empty root, as everywhere. */
function rootOf(document: Document | undefined): string {
  return String(document?.["root_trace_id"] ?? "");
}

const noteId = { _id: { $eq: oldCollection as never } };

async function noteOf(database: Db): Promise<Note> {
  const note = await database.collection("evidence_copies").findOne(noteId);
  const after: unknown = note?.["after"];
  return {
    after: typeof after === "string" ? after : undefined,
    complete: note?.["complete"] === true,
  };
}

async function keepNote(database: Db, note: Note): Promise<void> {
  // Of two concurrent runs the slower one does not reset the progress of the other.
  const change = note.complete ? { $set: { complete: true } } : { $max: { after: note.after } };
  await database.collection("evidence_copies").updateOne(noteId, change, { upsert: true });
}

async function stateOf(database: Db): Promise<"none" | "pending" | "copied"> {
  return coded(async () => {
    const first = await database.collection(oldCollection).findOne({}, { projection: { _id: 1 } });
    if (first === null) return "none";
    return (await noteOf(database)).complete ? "copied" : "pending";
  });
}

async function isSmall(database: Db): Promise<boolean> {
  const limit = eventsAtOpenMax + 1;
  const held = await coded(() =>
    database
      .collection(oldCollection)
      .find({}, { projection: { _id: 1 } })
      .limit(limit)
      .toArray(),
  );
  return held.length < limit;
}

async function copyEvents(
  database: Db,
  { dryRun = true, signal, onProgress }: CopyOptions,
): Promise<CopyReport> {
  const state = await stateOf(database);
  if (state === "none") return { dry_run: dryRun, events: 0, copied: 0, complete: true };
  const old = database.collection(oldCollection);
  const events = await old.countDocuments({});
  if (state === "copied") return { dry_run: dryRun, events, copied: events, complete: true };
  const { after } = await noteOf(database);
  let copied = after === undefined ? 0 : events - (await old.countDocuments(behind(after)));
  if (dryRun) return { dry_run: dryRun, events, copied, complete: true };
  for await (const step of stepsOf(database, after)) {
    if (signal?.aborted === true) return { dry_run: dryRun, events, copied, complete: false };
    // Another process has copied all of it.
    if (!(await copyStep(database, step))) break;
    copied += step.length;
    onProgress?.(copied, events);
  }
  await keepNote(database, { after, complete: true });
  return { dry_run: dryRun, events, copied: events, complete: true };
}

/** Old events of one page of a comparison. */
const eventsPerPage = 2_000;

async function checkEvents(
  database: Db,
  options?: Omit<CopyOptions, "dryRun">,
): Promise<ParityReport> {
  const bundles = database.collection("evidence_bundles");
  const both = {
    events: await database.collection(oldCollection).countDocuments({}),
    pages: pagesOf(database),
    rowsOf: (roots: readonly string[]) => rowsOf(bundles, roots, () => {}),
    standing: (roots: readonly string[]) => standingOf(database, roots),
  };
  return compareOld(both, options);
}

/** All old events by their keys, including those without a root. */
async function* pagesOf(database: Db): AsyncGenerator<readonly StoredEvent[]> {
  const found = database
    .collection(oldCollection)
    .find({}, { projection: { event: 1 } })
    .sort({ _id: 1 });
  let page: StoredEvent[] = [];
  for await (const { event } of found) {
    page.push(JSON.parse(String(event)) as StoredEvent);
    if (page.length < eventsPerPage) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Old documents after this root, in whole roots. */
async function* stepsOf(
  database: Db,
  after: string | undefined,
): AsyncGenerator<readonly Document[]> {
  const found = database
    .collection(oldCollection)
    .find(behind(after), { projection: { root_trace_id: 1, batch_id: 1, event: 1 } })
    .sort({ root_trace_id: 1, _id: 1 })
    .allowDiskUse();
  let step: Document[] = [];
  let roots = 0;
  for await (const document of found) {
    if (step.length === 0 || rootOf(document) !== rootOf(step.at(-1))) {
      if (step.length >= eventsPerStep || roots >= rootsPerStep) {
        yield step;
        [step, roots] = [[], 0];
      }
      roots += 1;
    }
    step.push(document);
  }
  if (step.length > 0) yield step;
}

/**
 * Bundles of whole roots under their original batches, and their turns. Rows are deleted only
 * after all are copied, so the slower of two copying processes may write rows that were deleted
 * meanwhile: where the epoch of a root rose, the rows inserted by this step are deleted again.
 * False where all was copied before.
 */
async function copyStep(database: Db, old: readonly Document[]): Promise<boolean> {
  const roots = [...new Set(old.map(rootOf))];
  const before = await raisedEpochs(epochsOf(database), roots);
  if ((await noteOf(database)).complete) return false;
  const groups = groupBy(old, (row) => JSON.stringify([row["batch_id"], rootOf(row)]));
  const packed = [...groups.values()].map((own) => {
    const events = own.map((row) => JSON.parse(String(row["event"])) as StoredEvent);
    const [first] = own;
    const batch = String(first?.["batch_id"]);
    const root = createHash("sha256").update(rootOf(first)).digest("hex");
    const documents = documentsOf(batch, `${batch}:${root.slice(0, 32)}`, events);
    return { named: events.some(namesTenant), documents };
  });
  // Rows with a tenant first: no reader sees a row that seems to be another tenant's.
  const naming = packed.toSorted((a, b) => Number(b.named) - Number(a.named));
  const bundles = database.collection("evidence_bundles");
  const documents = naming.flatMap(({ documents: own }) => own);
  await insertNew(bundles, documents);
  const after = await raisedEpochs(epochsOf(database), roots);
  const ended = new Set(roots.filter((root) => (after.get(root) ?? 0) > (before.get(root) ?? 0)));
  const gone = documents.filter((one) => ended.has(String(one["root_trace_id"])));
  if (gone.length > 0) {
    await bundles.deleteMany({ _id: { $in: gone.map((one) => one["_id"] as never) } });
  }
  const standing = await standingOf(database, roots);
  const stored = groupBy(await rowsOf(bundles, roots, () => {}), (row) => row.root_trace_id ?? "");
  const whole = [...standing].map(([root, known]) => {
    const events = settledEvents(stored.get(root) ?? []);
    return { root, ...known, events };
  });
  await recordRoots(mongodbTurns(database.collection("turn_ledger"), epochsOf(database)), whole);
  await keepNote(database, { after: roots.at(-1) ?? "", complete: false });
  return true;
}
