/**
 * @module RootRounds: settled roots of the files, newest received first, round by round, until a page
 * is full or the scan budget is met. Identity belongs to whole roots, so a root is read whole or not
 * at all.
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
import type { Disk } from "./disk.ts";

/** A root as it was read. */
export interface LoadedRoot {
  readonly events: readonly Settled[];
  /** True when rows of it are damaged or gone. */
  readonly damaged: boolean;
}

/** Reads and settles roots, remembering the last ones. */
export type RootLoader = (entry: RootEntry) => Promise<LoadedRoot>;

const rememberedRowsMax = 50_000;
const firstRound = 16;
const roundMax = 512;
/** Every event of the same microsecond comes after this one. */
const latestNanos = 9_223_372_036_854_775_807n;

/** A loader over a disk. */
export function rootLoader(disk: Disk): RootLoader {
  const remembered = new Map<string, { readonly parts: number; readonly loaded: LoadedRoot }>();
  let rows = 0;
  return async (entry) => {
    const known = remembered.get(entry.root);
    if (known?.parts === entry.parts.length) return known.loaded;
    const parts = entry.parts.length;
    const loaded = await load(disk, entry);
    if (remembered.delete(entry.root)) rows -= known?.loaded.events.length ?? 0;
    if (loaded.damaged) return loaded;
    remembered.set(entry.root, { parts, loaded });
    rows += loaded.events.length;
    for (const [root, one] of remembered) {
      if (rows <= rememberedRowsMax) break;
      remembered.delete(root);
      rows -= one.loaded.events.length;
    }
    return loaded;
  };
}

async function load(disk: Disk, entry: RootEntry): Promise<LoadedRoot> {
  const rows: StoredEvent[] = [];
  let damaged = false;
  for (const { place, part } of entry.parts) {
    const bytes = await disk.read(place, part);
    const events = bytes === undefined ? undefined : decodeEvents(bytes, part);
    if (events === undefined) damaged = true;
    else for (const event of events) rows.push(event);
  }
  // Of a root that is not whole, nobody can say whose its events are.
  return { events: damaged ? [] : settle(rows), damaged };
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
  let round: Settled[] = [];
  let wanted = firstRound;
  let met = 0;
  let examined = 0;
  for (const [n, entry] of roots.entries()) {
    options.signal?.throwIfAborted();
    if (after !== undefined && entry.first > after.micros) continue;
    const loaded = await load(entry);
    if (loaded.damaged) damaged();
    for (const event of loaded.events) round.push(event);
    met += 1;
    // Roots that reach over the start of the page were paid for by the pages before it.
    if (after === undefined || entry.last <= after.micros) examined += entry.rows;
    const next = roots[n + 1];
    // Roots of one microsecond stay together, so that every page gets past its start.
    if (next === undefined || next.last === entry.last) continue;
    if (met < wanted && examined < budget) continue;
    yield { events: round, frontier: frontierAt(next.last) };
    if (examined >= budget) return;
    round = [];
    met = 0;
    wanted = Math.min(roundMax, wanted * 2);
  }
  yield { events: round, frontier: null };
}

function frontierAt(micros: number): Position {
  return { micros, nanos: latestNanos, key: "" };
}
