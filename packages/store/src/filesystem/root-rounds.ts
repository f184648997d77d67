/**
 * @module RootRounds: settled roots of the files, newest received first, round by round, until a
 * page is full or the scan budget is met. Identity belongs to whole roots, so a root is read whole
 * or not at all.
 */
import { limits } from "@turnproof/semconv";

import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { Position } from "../position.ts";
import { settle } from "../settle.ts";
import type { Settled } from "../settle.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Round } from "../walk.ts";
import type { RootEntry } from "./batch-catalog.ts";
import { decodeEvents } from "./batch-file.ts";
import type { RootPart } from "./batch-file.ts";
import type { Disk } from "./disk.ts";

/** Roots as they were read. */
export interface LoadedRoots {
  readonly events: readonly Settled[];
  /** True when rows of one of them are damaged or gone. */
  readonly damaged: boolean;
}

/** Reads and settles roots, remembering the last ones. */
export type RootLoader = (entries: readonly RootEntry[]) => Promise<LoadedRoots>;

const rememberedRowsMax = 50_000;
const firstRound = 16;
const roundMax = 512;
/** Parts of one batch are read in one go while the bytes between them are no more than this. */
const gapBytesMax = 65_536;
/** Every event of the same microsecond comes after this one. */
const latestNanos = 9_223_372_036_854_775_807n;

/** A loader over a disk. */
export function rootLoader(disk: Disk): RootLoader {
  const remembered = new Map<string, { readonly parts: number; readonly events: Settled[] }>();
  let rows = 0;
  const remember = (entry: RootEntry, events: Settled[]): void => {
    rows += events.length - (remembered.get(entry.root)?.events.length ?? 0);
    remembered.delete(entry.root);
    remembered.set(entry.root, { parts: entry.parts.length, events });
    for (const [root, one] of remembered) {
      if (rows <= rememberedRowsMax) break;
      remembered.delete(root);
      rows -= one.events.length;
    }
  };
  return async (entries) => {
    const known = (entry: RootEntry): Settled[] | undefined => {
      const one = remembered.get(entry.root);
      return one?.parts === entry.parts.length ? one.events : undefined;
    };
    const wanted = entries.filter((entry) => known(entry) === undefined);
    const read = await readParts(disk, wanted);
    const all: Settled[] = [];
    let damaged = false;
    for (const entry of entries) {
      const held = known(entry);
      const events = held ?? settledOf(entry, read);
      if (events === undefined) damaged = true;
      else for (const event of events) all.push(event);
      if (held === undefined && events !== undefined) remember(entry, events);
    }
    return { events: all, damaged };
  };
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
  for (const [place, own] of Map.groupBy(parts, (one) => one.place)) {
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

/** Rounds over roots that come newest last receipt first; `damaged` is told of unreadable ones. */
export async function* rootRounds(
  roots: readonly RootEntry[],
  load: RootLoader,
  options: SliceOptions,
  damaged: () => void,
): AsyncGenerator<Round> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  let wanted = firstRound;
  let examined = 0;
  let at = 0;
  do {
    options.signal?.throwIfAborted();
    const chunk: RootEntry[] = [];
    for (let full = false; at < roots.length && !full; at += 1) {
      const entry = roots[at] as RootEntry;
      if (after === undefined || entry.first <= after.micros) {
        chunk.push(entry);
        // Roots that reach over the start of the page were paid for by the pages before it.
        if (after === undefined || entry.last <= after.micros) examined += entry.rows;
      }
      // Roots of one microsecond stay together, so that every page gets past its start.
      const tied = roots[at + 1]?.last === entry.last;
      full = !tied && (chunk.length >= wanted || examined >= budget);
    }
    const loaded = await load(chunk);
    if (loaded.damaged) damaged();
    const next = roots[at];
    yield { events: loaded.events, frontier: next === undefined ? null : frontierAt(next.last) };
    wanted = Math.min(roundMax, wanted * 2);
  } while (at < roots.length && examined < budget);
}

function frontierAt(micros: number): Position {
  return { micros, nanos: latestNanos, key: "" };
}
