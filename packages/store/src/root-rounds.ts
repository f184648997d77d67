/**
 * @module RootRounds: settled roots, newest last receipt first, round by round, until a page is
 * full or the scan budget is spent. For providers that know the first and last receipt of each
 * root.
 */
import type { EventQuery } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { EvidenceRequest } from "./evidence-request.ts";
import type { SliceOptions } from "./evidence-store.ts";
import { positionOfKeyset } from "./position.ts";
import type { Position } from "./position.ts";
import type { Settled } from "./settle.ts";
import type { Round } from "./walk.ts";

/** A root, and bounds of the receipt of its rows in microseconds since the epoch. */
export interface KnownRoot {
  readonly root: string;
  readonly first: number;
  readonly last: number;
  /** Number of its rows, where that is known before reading. */
  readonly rows?: number;
  /** Events of the row by which it was found; others may be in other rows. */
  readonly found?: number;
}

/** Bounds of the first round. */
export interface FirstRound {
  readonly rootsFirst?: number;
  /** Events that usually fill the page: reading more of a root's neighbours would be in vain. */
  readonly eventsFirst?: number;
}

/** The first round of a page of so many items, which usually fills it. */
export function firstRound({ query, id }: EvidenceRequest, limit: number): Required<FirstRound> {
  const isNarrowed = isOneOfMany(query);
  return {
    // Each round costs some milliseconds by itself.
    rootsFirst: Math.max(8, Math.ceil((limit + 1) / (isNarrowed ? 2 : 8))),
    // Where every event of a root is on the page, a twentieth more: events before those of the
    // round's last root wait for the next one. Elsewhere memory is the bound.
    eventsFirst:
      isNarrowed || id !== undefined ? limits.rootEventsMax : Math.ceil(limit * 1.05) + 64,
  };
}

/** True for conditions on single events, of which a root has others. */
function isOneOfMany({ event_kind, status, tool_name, task_id }: EventQuery): boolean {
  return (event_kind ?? status ?? tool_name ?? task_id) !== undefined;
}

/** Settles complete roots; one that cannot be read is noted by its source. */
export type SettleRoots<R extends KnownRoot> = (roots: readonly R[]) => Promise<readonly Settled[]>;

/** Roots of the first round, by default. */
const rootsFirstDefault = 16;
const roundMax = 512;
/** Every event of the same microsecond comes after this one. */
const latest = { seconds: 9_223_372_036, nanos: 854_775_807 };

/** Rounds over roots in order of last receipt, newest first. */
export async function* rootRounds<R extends KnownRoot>(
  roots: Iterable<R> | AsyncIterable<R>,
  load: SettleRoots<R>,
  options: SliceOptions & FirstRound,
): AsyncGenerator<Round> {
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  let wanted = options.rootsFirst ?? rootsFirstDefault;
  let eventsWanted = options.eventsFirst ?? Infinity;
  let examined = 0;
  let found = 0;
  let chunk: R[] = [];
  let before: R | undefined;
  // Roots that extend beyond the start of the page were counted by earlier pages.
  const isPaid = ({ last }: R): boolean => after === undefined || last <= after.micros;
  const settled = async (): Promise<readonly Settled[]> => {
    const taken = chunk;
    chunk = [];
    const loaded = await load(taken);
    const uncounted = taken.filter((one) => one.rows === undefined && isPaid(one));
    const roots = new Set(uncounted.map(({ root }) => root));
    for (const { event, copies } of loaded) {
      if (roots.has(event.root_trace_id ?? "")) examined += copies;
    }
    return loaded;
  };
  for await (const entry of roots) {
    options.signal?.throwIfAborted();
    // Roots of one microsecond stay together, so that every page makes progress.
    const full = chunk.length >= wanted || found >= eventsWanted || examined >= budget;
    if (full && before?.last !== entry.last) {
      yield { events: await settled(), frontier: frontierAt(entry.last) };
      if (examined >= budget) return;
      wanted = Math.min(roundMax, wanted * 2);
      eventsWanted = Infinity;
    }
    before = entry;
    if (after !== undefined && entry.first > after.micros) continue;
    chunk.push(entry);
    if (!isPaid(entry)) continue;
    examined += entry.rows ?? 0;
    found += entry.found ?? entry.rows ?? 0;
  }
  yield { events: await settled(), frontier: null };
}

function frontierAt(micros: number): Position {
  return { micros, ...latest, key: "" };
}
