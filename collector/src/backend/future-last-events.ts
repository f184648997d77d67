/**
 * @module FutureLastEvents: a store whose pages of events and bundles, newest first, end with what
 * was received after now, as the lists of turns do (faults R29). The first page fixes the time now
 * and its keysets hold it, so that every process and thread continues with the same one.
 */
import { turnKey } from "@turnproof/evidence";
import { isoMicros, isoTime } from "@turnproof/semconv";
import type { BundleSlice, EventSlice, EvidenceStore, Keyset } from "@turnproof/store";
import type { SliceOptions } from "@turnproof/store";

import { boundStore } from "./bound-store.ts";

/** Collectors of one store differ by less. */
export const skewMs = 60_000;
/** How long it is known whether there is something ahead. */
export const knownMs = 60_000;

/** Field of a position: what was received after this is ahead, microseconds since the epoch. */
const aheadField = "ahead";
/** Within the range of every provider. */
const latest = isoMicros(Number.MAX_SAFE_INTEGER);

/** The store; `now` is the collector's clock, epoch milliseconds. */
export function futureLastEvents(store: EvidenceStore, now: () => number): EvidenceStore {
  const bound = boundStore(store);
  let known: { readonly at: number; readonly found: Promise<boolean> } | undefined;
  const hasAhead = (at: number): Promise<boolean> => {
    if (known !== undefined && Math.abs(at - known.at) < knownMs) return known.found;
    const found = bound
      .quietRoots(isoTime(at + skewMs), latest, 1)
      .then((roots) => roots.length > 0);
    const held = { at, found };
    known = held;
    // The caller receives the error; the next one reads again.
    found.catch(() => {
      if (known === held) known = undefined;
    });
    return found;
  };
  const boundary = async (after: Keyset | undefined): Promise<number | undefined> => {
    if (after !== undefined) {
      const ahead = after[aheadField];
      return typeof ahead === "number" ? ahead : undefined;
    }
    const at = now();
    return (await hasAhead(at)) ? (at + skewMs) * 1_000 : undefined;
  };
  const futureLast =
    <S extends Sliced>(join: (past: S, ahead: S) => S) =>
    async (options: SliceOptions, read: (options: SliceOptions) => Promise<S>): Promise<S> => {
      // A read that is bounded by receipt reads all from there on.
      if (options.receivedFrom !== undefined) return read(options);
      const end = await boundary(options.after);
      if (end === undefined) return read(options);
      const behind = { ...options, receivedFrom: end + 1 };
      if (isAhead(options.after, end)) return kept(await read(behind), end);
      const past = await read({ ...options, after: options.after ?? startAt(end) });
      if (past.next !== null) return kept(past, end);
      const left = options.limit - sizeOf(past);
      const { after: _after, ...first } = behind;
      const ahead = await read({ ...first, limit: Math.max(1, left) });
      if (left > 0) return kept(join(past, ahead), end);
      return sizeOf(ahead) === 0 ? past : kept({ ...past, next: top }, end);
    };
  const events = futureLast<EventSlice>(joinedEvents);
  const bundles = futureLast<BundleSlice>(joinedBundles);
  return {
    ...bound,
    page: (scope, query, options) => events(options, (own) => bound.page(scope, query, own)),
    find: (scope, id, query, options) =>
      events(options, (own) => bound.find(scope, id, query, own)),
    bundles: (scope, query, options) => bundles(options, (own) => bound.bundles(scope, query, own)),
  };
}

type Sliced = EventSlice | BundleSlice;

/** Before every event. */
const top: Keyset = { micros: Number.MAX_SAFE_INTEGER, nanos: "9223372036854775807", key: "" };

/** Before every event that was received at this time or earlier. */
function startAt(micros: number): Keyset {
  return { ...top, micros };
}

function isAhead(after: Keyset | undefined, end: number): boolean {
  return after !== undefined && Number(after["micros"]) > end;
}

/** The slice, whose next page has the same boundary. */
function kept<S extends Sliced>(slice: S, end: number): S {
  return slice.next === null ? slice : { ...slice, next: { ...slice.next, [aheadField]: end } };
}

function sizeOf(slice: Sliced): number {
  return "events" in slice ? slice.events.length : slice.bundles.length;
}

/** Both have the same errors: those of all bundles of earlier versions. */
function joinedEvents(past: EventSlice, ahead: EventSlice): EventSlice {
  const events = [...past.events, ...ahead.events];
  return {
    ...past,
    events,
    next: ahead.next,
    sourceRows: past.sourceRows + ahead.sourceRows,
    bundleCount: new Set(events.map(turnKey)).size,
    duplicatesRemoved: past.duplicatesRemoved + ahead.duplicatesRemoved,
    bounded: past.bounded || ahead.bounded,
  };
}

function joinedBundles(past: BundleSlice, ahead: BundleSlice): BundleSlice {
  return {
    ...past,
    bundles: [...past.bundles, ...ahead.bundles],
    next: ahead.next,
    sourceRows: past.sourceRows + ahead.sourceRows,
  };
}
