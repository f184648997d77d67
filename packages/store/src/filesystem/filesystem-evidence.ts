/**
 * @module FilesystemEvidence: the evidence port over batch files. Reads are the compatibility path:
 * whole roots from the files, newest first, within the scan budget, settled and cut as the reference
 * does it.
 */
import { CodedError } from "@turnproof/semconv";

import type {
  CheckResult,
  EvidenceReader,
  EvidenceStore,
  SliceOptions,
} from "../evidence-store.ts";
import { keysetOf } from "../position.ts";
import { rootSlice } from "../root-slice.ts";
import { bundleItems, eventItems, eventSlice, mentionItems, rootItems } from "../slice.ts";
import type { ItemsOf } from "../slice.ts";
import { storedForm } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { walk } from "../walk.ts";
import type { Walked } from "../walk.ts";
import type { BatchCatalog, RootEntry } from "./batch-catalog.ts";
import { batchesPlace } from "./batch-catalog.ts";
import { batchName, dayOf, encodeBatch } from "./batch-file.ts";
import type { Disk } from "./disk.ts";
import { rootRounds } from "./root-rounds.ts";
import type { RootLoader } from "./root-rounds.ts";
import type { VerdictFiles } from "./verdict-files.ts";

/** What the port stands on. */
export interface EvidenceParts {
  readonly disk: Disk;
  readonly catalog: BatchCatalog;
  readonly load: RootLoader;
  readonly verdicts: VerdictFiles;
  /** Resolves when no write is under way. */
  readonly idle: () => Promise<void>;
  /** Whether the directory answers. */
  readonly check: () => Promise<CheckResult>;
}

/** The evidence port over these parts. */
export function filesystemEvidence(parts: EvidenceParts): EvidenceStore {
  const { catalog, verdicts } = parts;
  let closed = false;
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  const close = async (): Promise<void> => {
    closed = true;
    await parts.idle();
  };
  return {
    name: "filesystem",
    sources: ["trace", "conversation", "tool_log"],
    ...reads(parts, open),
    append: appender(parts, open),
    async readBack(batchId, receivedAt) {
      open();
      await catalog.refresh();
      return catalog.readBack(batchId, receivedAt);
    },
    async quietRoots(since, before, limit) {
      open();
      await catalog.refresh();
      const [from, to] = [epochMicros(since), epochMicros(before)];
      return catalog
        .newestFirst()
        .filter(({ last }) => last >= from && last < to)
        .toSorted((a, b) => a.last - b.last || (a.root < b.root ? -1 : 1))
        .slice(0, limit)
        .map(({ root }) => root);
    },
    async verdicts(scope, roots) {
      open();
      return verdicts.of(scope, roots);
    },
    async putVerdicts(list) {
      open();
      await verdicts.put(list);
    },
    check: async () => (closed ? { ok: false, code: "store_closed", elapsedMs: 0 } : parts.check()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Appends need no lock: a batch is a file of its own, named by its id, renamed into place. */
function appender({ disk, catalog }: EvidenceParts, open: () => void): EvidenceStore["append"] {
  return async (batch) => {
    open();
    const events = batch.events.map((event) => storedForm(event, batch.receivedAt));
    const folder = [...batchesPlace, dayOf(batch.receivedAt)];
    const place = [...folder, batchName(batch.batchId)];
    if (catalog.has(batch.batchId)) return;
    await catalog.refresh();
    if (catalog.has(batch.batchId)) return;
    const { bytes, manifest } = encodeBatch(batch, events);
    await disk.ensure(folder);
    await disk.replace(place, bytes);
    await disk.sync(folder);
    catalog.add(place, manifest);
  };
}

type Reads = Pick<EvidenceReader, "page" | "find" | "turns" | "bundles" | "root">;

type Found<T> = Walked<T> & { readonly damaged: boolean };

function reads({ catalog, load }: EvidenceParts, open: () => void): Reads {
  const search = async <T>(itemsOf: ItemsOf<T>, options: SliceOptions): Promise<Found<T>> => {
    open();
    await catalog.refresh();
    let damaged = false;
    const rounds = rootRounds(catalog.newestFirst(), load, options, () => {
      damaged = true;
    });
    return { ...(await walk(rounds, itemsOf, options)), damaged };
  };
  return {
    page: async (scope, query, options) =>
      eventsOf(await search(eventItems(scope, query), options)),
    find: async (scope, id, query, options) =>
      eventsOf(await search(mentionItems(scope, query, id), options)),
    async turns(scope, query, options) {
      const found = await search(rootItems(scope, query), options);
      return {
        events: found.items.flatMap((item) => item.value.events),
        roots: found.items.map((item) => item.value.root),
        next: nextOf(found),
        bounded: found.bounded || found.damaged,
      };
    },
    async bundles(scope, query, options) {
      const found = await search(bundleItems(scope, query), options);
      const bundles = found.items.map((item) => item.value);
      return { bundles, next: nextOf(found), sourceRows: bundles.length, errors: [] };
    },
    async root(scope, rootTraceId, options) {
      open();
      await catalog.refresh();
      const entry: RootEntry | undefined = catalog.root(rootTraceId);
      if (entry === undefined) return rootSlice([], scope, options);
      const loaded = await load(entry);
      return rootSlice(loaded.events, scope, options, loaded.damaged);
    },
  };
}

type Events = Awaited<ReturnType<EvidenceReader["page"]>>;

function eventsOf(found: Found<Parameters<typeof eventSlice>[0][number]["value"]>): Events {
  return { ...eventSlice(found.items, found.bounded || found.damaged), next: nextOf(found) };
}

function nextOf(found: Found<unknown>): Events["next"] {
  return found.next === null ? null : keysetOf(found.next);
}
