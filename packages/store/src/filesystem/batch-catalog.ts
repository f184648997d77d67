/**
 * @module BatchCatalog: which batches there are, and where the rows of each root lie in them, as
 * their manifests say. Kept in the process and brought up to date before every read, since other
 * processes may append and retention may remove.
 */
import type { BatchReadback } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import { batchName, dayOf, decodeManifest, holdsItsRows } from "./batch-file.ts";
import { isBatchName, isDay, tailBytes } from "./batch-file.ts";
import type { Manifest, RootPart } from "./batch-file.ts";
import type { Disk, Place } from "./disk.ts";

/** Where batches lie. */
export const batchesPlace: Place = ["evidence", "batches"];
/** Another text after each run that rewrote batches, so that nobody trusts what it knew of them. */
export const generationPlace: Place = ["evidence", "generation"];
/** What that text begins with while such a run is under way. */
export const rewriting = "rewriting ";

/** A root and where all of its rows lie. Never changed: a read keeps the view that it began with. */
export interface RootEntry {
  readonly root: string;
  /** First and last receipt of its rows, microseconds since the epoch. */
  readonly first: number;
  readonly last: number;
  readonly rows: number;
  readonly parts: readonly { readonly place: Place; readonly part: RootPart }[];
}

/** The batches of a disk. */
export interface BatchCatalog {
  /** Learns what other processes did. */
  refresh(): Promise<void>;
  /** Roots by last receipt, newest first. */
  newestFirst(): readonly RootEntry[];
  root(root: string): RootEntry | undefined;
  /** True when a batch of this id is there, whole. */
  has(batchId: string): boolean;
  /** A batch that was just written. */
  add(place: Place, manifest: Manifest): void;
  /** Reads a batch whole and compares it with its manifest. */
  readBack(batchId: string, receivedAt: string): Promise<BatchReadback>;
  /** Places and manifests of all batches, oldest day first. */
  batches(): readonly { readonly place: Place; readonly manifest: Manifest }[];
}

interface Day {
  changedMs: number;
  /** False while another change could carry the same time. */
  settled: boolean;
}

/** Changes within this time of each other may be told apart by no file system. */
const clockGrainMs = 2_000;

/** The catalog of a disk; empty until the first refresh. */
export function batchCatalog(disk: Disk): BatchCatalog {
  const days = new Map<string, Day>();
  const known = new Map<string, { readonly place: Place; readonly manifest: Manifest }>();
  const roots = new Map<string, RootEntry>();
  let ordered: readonly RootEntry[] | undefined = [];
  const add: BatchCatalog["add"] = (place, manifest) => {
    const name = place.at(-1) ?? "";
    if (known.has(name)) return;
    known.set(name, { place, manifest });
    for (const part of manifest.roots) addPart(roots, place, part);
    ordered = undefined;
  };
  const forget = (): void => {
    days.clear();
    known.clear();
    roots.clear();
    ordered = undefined;
  };
  const readDay = async (day: string): Promise<boolean> => {
    const place = [...batchesPlace, day];
    const stat = await disk.stat(place);
    const before = days.get(day);
    if (stat === undefined) return before === undefined;
    if (before?.settled === true && before.changedMs === stat.changedMs) return true;
    const names = new Set((await disk.list(place)).filter(isBatchName));
    for (const name of names) {
      if (known.has(name)) continue;
      const manifest = await readManifest(disk, [...place, name]);
      if (manifest !== undefined) add([...place, name], manifest);
    }
    const settled = Date.now() - stat.changedMs > clockGrainMs;
    days.set(day, { changedMs: stat.changedMs, settled });
    const gone = [...known.values()].some(
      (one) => one.place.at(-2) === day && !names.has(one.place.at(-1) ?? ""),
    );
    return !gone;
  };
  let generation: string | undefined;
  const look = async (): Promise<void> => {
    const said = (await disk.read(generationPlace))?.toString("utf8");
    if (said !== generation || said?.startsWith(rewriting) === true) forget();
    generation = said;
    const there = (await disk.list(batchesPlace)).filter(isDay).toSorted();
    let whole = [...days.keys()].every((day) => there.includes(day));
    for (const day of there) whole = (await readDay(day)) && whole;
    if (whole) return;
    // Something was removed: what is left is read anew.
    forget();
    for (const day of there) await readDay(day);
  };
  let looking: Promise<void> = Promise.resolve();
  return {
    add,
    refresh() {
      looking = looking.catch(() => undefined).then(look);
      return looking;
    },
    newestFirst() {
      ordered ??= [...roots.values()].toSorted((a, b) => b.last - a.last);
      return ordered;
    },
    root: (root) => roots.get(root),
    has: (batchId) => known.has(batchName(batchId)),
    batches: () => [...known.values()],
    readBack(batchId, receivedAt) {
      const name = batchName(batchId);
      const place = known.get(name)?.place ?? [...batchesPlace, dayOf(receivedAt), name];
      return readBatchBack(disk, place, batchId);
    },
  };
}

async function readBatchBack(disk: Disk, place: Place, batchId: string): Promise<BatchReadback> {
  const bytes = await disk.read(place);
  const manifest = bytes === undefined ? undefined : decodeManifest(bytes);
  if (bytes === undefined || typeof manifest !== "object") return { rows: 0, complete: false };
  const complete = manifest.batch_id === batchId && holdsItsRows(bytes, manifest);
  return { rows: manifest.rows, complete };
}

function addPart(roots: Map<string, RootEntry>, place: Place, part: RootPart): void {
  const entry = roots.get(part.root);
  roots.set(part.root, {
    root: part.root,
    first: Math.min(entry?.first ?? Infinity, part.first),
    last: Math.max(entry?.last ?? 0, part.last),
    rows: (entry?.rows ?? 0) + part.rows,
    parts: [...(entry?.parts ?? []), { place, part }],
  });
}

async function readManifest(disk: Disk, place: Place): Promise<Manifest | undefined> {
  const stat = await disk.stat(place);
  if (stat === undefined) return undefined;
  if (stat.kind !== "file") throw new CodedError("store_corrupt");
  const tailOf = async (length: number): Promise<Buffer | undefined> => {
    const at = Math.max(0, stat.size - length);
    return disk.read(place, { at, length: stat.size - at });
  };
  let tail = await tailOf(tailBytes);
  let manifest = tail === undefined ? undefined : decodeManifest(tail);
  if (typeof manifest === "number") {
    tail = await tailOf(manifest);
    manifest = tail === undefined ? undefined : decodeManifest(tail);
  }
  return typeof manifest === "object" ? manifest : undefined;
}
