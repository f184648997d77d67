/** @module FilesystemIndex: the native index of the files, as operators' commands see it. */
import { isDeepStrictEqual } from "node:util";

import type {
  NativeIndex,
  NativeIndexOptions,
  NativeIndexState,
  Parity,
  ParityOptions,
} from "../native-index.ts";
import { readsOf, sameAnswers } from "../read-parity.ts";
import type { Compared } from "../read-parity.ts";
import type { BatchCatalog } from "./batch-catalog.ts";
import type { Disk } from "./disk.ts";
import { indexPlace, indexPlaceOf, provisionPlace } from "./index-file.ts";
import { readIndexFile, termsFromRows, writeIndexFile } from "./index-file.ts";
import type { RootLoader } from "./root-loader.ts";

/** What the index stands on. */
export interface IndexParts {
  readonly disk: Disk;
  readonly catalog: BatchCatalog;
  readonly load: RootLoader;
  readonly compatibility: Compared;
  /** Native reads that learn the index anew: a check must not rest on what was read before. */
  readonly native: () => Compared;
}

/** Newest roots whose ids a parity check reads both ways. */
const rootsSampled = 25;

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
  const newest = (await parts.load(catalog.newestFirst().slice(0, rootsSampled))).events;
  const sample = newest.map(({ event }) => event);
  for (const read of readsOf(sample, options.scope)) {
    signal?.throwIfAborted();
    if (!(await sameAnswers(read, ...readers))) differences += 1;
    readsCompared += 1;
  }
  return { unitsCompared, readsCompared, differences };
}
