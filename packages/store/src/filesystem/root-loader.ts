/**
 * @module RootLoader: settled roots of the files, the last ones remembered. Identity belongs to
 * whole roots, so a root is read whole or not at all.
 */
import { groupBy } from "@turnproof/semconv";
import { settle } from "../settle.ts";
import type { Settled } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { RootEntry } from "./batch-catalog.ts";
import { decodeEvents } from "./batch-file.ts";
import type { RootPart } from "./batch-file.ts";
import type { Disk } from "./disk.ts";

/** Roots as they were read. */
export interface LoadedRoots {
  readonly events: readonly Settled[];
  /** True when rows of one of them are damaged or gone. */
  readonly cut: boolean;
}

/** Reads and settles roots, remembering the last ones. */
export type RootLoader = (entries: readonly RootEntry[]) => Promise<LoadedRoots>;

const rememberedRowsMax = 50_000;
/** Parts of one batch are read in one go while the bytes between them are no more than this. */
const gapBytesMax = 65_536;

/** A loader over a disk. */
export function rootLoader(disk: Disk): RootLoader {
  const remembered = new Map<
    string,
    { readonly parts: RootEntry["parts"]; readonly events: Settled[] }
  >();
  let rows = 0;
  const remember = (entry: RootEntry, events: Settled[]): void => {
    rows += events.length - (remembered.get(entry.root)?.events.length ?? 0);
    remembered.delete(entry.root);
    remembered.set(entry.root, { parts: entry.parts, events });
    for (const [root, one] of remembered) {
      if (rows <= rememberedRowsMax) break;
      remembered.delete(root);
      rows -= one.events.length;
    }
  };
  return async (entries) => {
    const known = (entry: RootEntry): Settled[] | undefined => {
      const one = remembered.get(entry.root);
      return one !== undefined && sameParts(one.parts, entry.parts) ? one.events : undefined;
    };
    const wanted = entries.filter((entry) => known(entry) === undefined);
    const read = await readParts(disk, wanted);
    const all: Settled[] = [];
    let cut = false;
    for (const entry of entries) {
      const held = known(entry);
      const events = held ?? settledOf(entry, read);
      if (events === undefined) cut = true;
      else for (const event of events) all.push(event);
      if (held === undefined && events !== undefined) remember(entry, events);
    }
    return { events: all, cut };
  };
}

/** Parts are objects of the catalog: what was rewritten, or read anew, is another. */
function sameParts(known: RootEntry["parts"], parts: RootEntry["parts"]): boolean {
  return known.length === parts.length && known.every(({ part }, at) => part === parts[at]?.part);
}

/** All rows of these roots as they were said; a root with a damaged row is left out and told. */
export async function rowsOfRoots(
  disk: Disk,
  entries: readonly RootEntry[],
  cut: () => void,
): Promise<readonly StoredEvent[]> {
  const read = await readParts(disk, entries);
  return entries.flatMap((entry) => {
    const parts = entry.parts.map(({ part }) => read.get(part));
    if (parts.every((part) => part !== undefined)) return parts.flat();
    cut();
    return [];
  });
}

/** The settled events of a root; undefined unless it is whole: then nobody can say whose they are. */
function settledOf(
  entry: RootEntry,
  read: ReadonlyMap<RootPart, readonly StoredEvent[] | undefined>,
): Settled[] | undefined {
  const rows: StoredEvent[] = [];
  for (const { part } of entry.parts) {
    const events = read.get(part);
    if (events === undefined) return undefined;
    for (const event of events) rows.push(event);
  }
  return settle(rows);
}

/** The events of every part of these roots, batch by batch; undefined for a damaged part. */
async function readParts(
  disk: Disk,
  entries: readonly RootEntry[],
): Promise<ReadonlyMap<RootPart, readonly StoredEvent[] | undefined>> {
  const read = new Map<RootPart, readonly StoredEvent[] | undefined>();
  const parts = entries.flatMap((entry) => entry.parts);
  for (const [place, own] of groupBy(parts, (one) => one.place)) {
    for (const run of runsOf(own.map((one) => one.part))) {
      const at = run[0]?.at ?? 0;
      const last = run.at(-1);
      const length = (last?.at ?? 0) + (last?.length ?? 0) - at;
      const bytes = await disk.read(place, { at, length });
      for (const part of run) {
        const own = bytes?.subarray(part.at - at, part.at - at + part.length);
        read.set(part, own === undefined ? undefined : decodeEvents(own, part));
      }
    }
  }
  return read;
}

/** Parts that lie close to each other, in the order in which they lie. */
function runsOf(parts: readonly RootPart[]): RootPart[][] {
  const runs: RootPart[][] = [];
  let end = -Infinity;
  for (const part of parts.toSorted((a, b) => a.at - b.at)) {
    if (part.at - end > gapBytesMax) runs.push([part]);
    else runs.at(-1)?.push(part);
    end = part.at + part.length;
  }
  return runs;
}
