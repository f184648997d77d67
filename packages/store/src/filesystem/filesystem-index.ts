/** @module FilesystemIndex: the native index of the files, as operators' commands see it. */
import { isDeepStrictEqual } from "node:util";

import type { EvidenceReader, EventSlice, SliceOptions } from "../evidence-store.ts";
import type {
  NativeIndex,
  NativeIndexOptions,
  NativeIndexState,
  Parity,
  ParityOptions,
} from "../native-index.ts";
import type { EvidenceScope } from "../scope.ts";
import type { BatchCatalog } from "./batch-catalog.ts";
import type { Disk } from "./disk.ts";
import { indexPlace, indexPlaceOf, provisionPlace } from "./index-file.ts";
import { readIndexFile, termsFromRows, writeIndexFile } from "./index-file.ts";
import type { RootLoader } from "./root-rounds.ts";

/** What the index stands on. */
export interface IndexParts {
  readonly disk: Disk;
  readonly catalog: BatchCatalog;
  readonly load: RootLoader;
  readonly compatibility: Compared;
  /** Native reads that learn the index anew: a check must not rest on what was read before. */
  readonly native: () => Compared;
}

type Compared = Pick<EvidenceReader, "page" | "find" | "turns">;

/** Ids of each kind that a parity check reads both ways. */
const idsCompared = 25;
const pageEvents = 100;
/** Pages of one read that are compared. */
const pagesCompared = 5;

/** The index over these parts. */
export function filesystemIndex(parts: IndexParts): NativeIndex {
  const { disk, catalog } = parts;
  const state = async (): Promise<NativeIndexState> => {
    await catalog.refresh();
    const batches = catalog.batches();
    let indexed = 0;
    for (const { place, manifest } of batches) {
      if ((await readIndexFile(disk, place, manifest)) !== undefined) indexed += 1;
    }
    const provisioned = (await disk.stat(provisionPlace)) !== undefined;
    return { provisioned, stored: batches.length, indexed };
  };
  return {
    state,
    async migrate({ dryRun = true } = {}) {
      if (!dryRun) {
        await disk.ensure(indexPlace);
        await disk.mark(provisionPlace);
        await disk.sync(indexPlace);
      }
      return state();
    },
    async backfill(options = {}) {
      if (!(options.dryRun ?? true)) await backfill(parts, options);
      return state();
    },
    parity: (options) => parity(parts, options),
    async drop(options = {}) {
      if (!(options.dryRun ?? true)) {
        await disk.remove(provisionPlace);
        await catalog.refresh();
        for (const { place } of catalog.batches()) await disk.remove(indexPlaceOf(place));
      }
      return state();
    },
  };
}

async function backfill(
  { disk, catalog }: IndexParts,
  { signal, onProgress }: NativeIndexOptions,
): Promise<void> {
  await catalog.refresh();
  const batches = catalog.batches();
  for (const [done, { place, manifest }] of batches.entries()) {
    signal?.throwIfAborted();
    if ((await readIndexFile(disk, place, manifest)) === undefined) {
      const terms = await termsFromRows(disk, place, manifest);
      if (terms !== undefined) await writeIndexFile(disk, place, manifest, terms);
    }
    onProgress?.(done + 1, batches.length);
  }
}

/** Every index file against the rows it was made of, then reads of many ids both ways. */
async function parity(parts: IndexParts, options: ParityOptions): Promise<Parity> {
  const { disk, catalog } = parts;
  const { signal, onProgress } = options;
  await catalog.refresh();
  const batches = catalog.batches();
  let unitsCompared = 0;
  let differences = 0;
  for (const { place, manifest } of batches) {
    signal?.throwIfAborted();
    const terms = await termsFromRows(disk, place, manifest);
    if (!isDeepStrictEqual(await readIndexFile(disk, place, manifest), terms)) differences += 1;
    unitsCompared += 1;
    onProgress?.(unitsCompared, batches.length);
  }
  let readsCompared = 0;
  const readers = [parts.native(), parts.compatibility] as const;
  for (const read of await readsToCompare(parts, options.scope)) {
    signal?.throwIfAborted();
    if (!(await sameAnswers(read, ...readers))) differences += 1;
    readsCompared += 1;
  }
  return { unitsCompared, readsCompared, differences };
}

type Read = (reader: Compared, options: SliceOptions) => Promise<Answer>;
type Answer = Pick<EventSlice, "events" | "next">;

/** Reads of tenants, threads, roots and references of the newest roots, and of one that is none. */
async function readsToCompare(
  { catalog, load }: IndexParts,
  operator: EvidenceScope,
): Promise<Read[]> {
  const tenants = new Set<string | null>();
  const threads = new Set<string>();
  const ids = new Set(["no such id"]);
  const newest = catalog.newestFirst().slice(0, idsCompared);
  for (const { root } of newest) ids.add(root);
  for (const { event } of (await load(newest)).events) {
    if (event.user_id !== undefined) tenants.add(event.user_id);
    if (typeof event.user_id === "string") ids.add(event.user_id);
    if (event.thread_id !== undefined) threads.add(event.thread_id);
    for (const { ref } of event.input_refs ?? []) ids.add(ref);
  }
  const some = <T>(values: Iterable<T>, most = idsCompared): T[] => [...values].slice(0, most);
  const scopes = some(tenants).map((tenant): EvidenceScope => ({ tenant }));
  const store = "all";
  const reads: Read[] = [];
  for (const scope of [...scopes, operator]) {
    reads.push((reader, options) => reader.page(scope, { store }, options));
    reads.push((reader, options) => reader.turns(scope, {}, options));
  }
  for (const thread_id of some(threads)) {
    reads.push((reader, options) => reader.page(operator, { thread_id }, options));
  }
  for (const id of some(ids, idsCompared * 3)) {
    reads.push((reader, options) => reader.find(operator, id, { store }, options));
  }
  return reads;
}

async function sameAnswers(
  read: Read,
  native: Compared,
  compatibility: Compared,
): Promise<boolean> {
  let after: SliceOptions["after"];
  for (let page = 0; page < pagesCompared; page += 1) {
    const options = { limit: pageEvents, ...(after === undefined ? {} : { after }) };
    const [one, other] = [await read(native, options), await read(compatibility, options)];
    if (!isDeepStrictEqual([one.events, one.next], [other.events, other.next])) return false;
    if (one.next === null) return true;
    after = one.next;
  }
  return true;
}
