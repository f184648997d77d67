/**
 * @module Window: collects all pages of an authorized window, and reports when a bound was
 * reached. Its statement of completeness is the basis of a verdict over HTTP (evidence: Reconcile).
 */
import { matches, trustedErrors } from "@turnproof/evidence";
import type { EventQuery, NormalizationError, TurnEvent } from "@turnproof/evidence";
import { CodedError, compareTimes, limits } from "@turnproof/semconv";
import type { EventSlice, Keyset, TurnQuery } from "@turnproof/store";

import type { Reading } from "../access/grants.ts";
import type { Parts } from "../parts.ts";
import { turnQueryOf } from "./turn-conditions.ts";

/** Everything read of a window, and how. */
export interface Window {
  readonly events: readonly TurnEvent[];
  readonly source_rows: number;
  readonly bundle_count: number;
  readonly duplicates_removed: number;
  readonly errors: readonly NormalizationError[];
  readonly pages: number;
  /** A bound of the collector or of the store ended the reading. */
  readonly bounded: boolean;
  /** Frames that were acknowledged before the reading began and not readable in time. */
  readonly pending_frames: number;
  /** All pages were read, nothing failed and nothing is pending. */
  readonly complete: boolean;
  /** Latest receipt among the events. */
  readonly as_of: string | null;
  /** Everything received by then was readable when the reading began. */
  readonly mark: string;
  readonly elapsed_ms: number;
}

type ReadPage = (options: { limit: number; after?: Keyset }) => Promise<EventSlice>;

const pageRows = 10_000;
const settleMsMax = 2_000;

/**
 * Number of acknowledged frames that are not readable yet. A list checks before it reads: while
 * frames are in the journal, as after a restart or between two writes under load, its result is no
 * complete window. It does not wait.
 */
export function pendingFrames({ ingest }: Pick<Parts, "ingest">): Promise<number> {
  return ingest.settled(0);
}

/** What the notice of every page rests on. */
type Known = Pick<Parts, "damage"> & { readonly ingest: Pick<Parts["ingest"], "report"> };

/**
 * Whether stored evidence is known to be damaged or gone: a file or table, rows of a trace, parts
 * that are set aside, events by the signed account.
 */
export function isDamaged(known: Known): boolean {
  const { missing } = known.ingest.report();
  const ofTraces = known.damage.report().traces > 0 || (missing?.roots_missing ?? 0) > 0;
  return ofTraces || isDamagedAnywhere(known);
}

/** Whether evidence of any turn may be damaged or gone. */
function isDamagedAnywhere({ damage, ingest }: Known): boolean {
  const { store, located } = damage.report();
  if (store !== null || !located) return true;
  const { missing } = ingest.report();
  return missing !== null && (missing.parts_set_aside > 0 || (missing.events_missing ?? 0) > 0);
}

/**
 * Whether what the store answers to a query is everything: no frame is pending, and nothing of
 * it is known to be damaged or gone. The rest is answered all the same, as turns without their
 * bundles. Traces with a gap concern the queries that their turns pass, so those of their
 * tenants.
 */
export async function isComplete(
  parts: Parts,
  pending: number,
  { scope, where }: TurnQuery,
): Promise<boolean> {
  if (pending > 0 || isDamagedAnywhere(parts)) return false;
  const roots = parts.ingest.gaps();
  if (roots === null || roots.length === 0) return roots !== null;
  const { ledger } = parts.store;
  const recorded = new Set((await ledger.turnsOf(roots)).map(({ root_trace_id: root }) => root));
  // Without a turn in the ledger the tenant of a trace is not known.
  if (roots.some((root) => !recorded.has(root))) return false;
  const any = roots.map((is) => ({ text: "root_trace_id" as const, is }));
  return (await ledger.countTurns({ scope, where: [...where, { any }] })) === 0;
}

/**
 * The turns that may have events of a reading: its filters by kind, time or content are of events.
 */
export function turnQueryOfEvents({ scope, query }: Reading): TurnQuery {
  return turnQueryOf({ scope, query: turnFilter(query) });
}

/** Whether everything acknowledged before now is readable. */
export async function isSettled(parts: Parts, query: TurnQuery): Promise<boolean> {
  return isComplete(parts, await pendingFrames(parts), query);
}

/** What was readable when a request began to read; its windows share it. */
export interface SettledMark {
  /** Everything received by then is readable, but for the pending frames. */
  readonly mark: string;
  readonly pending: number;
}

/**
 * Waits for everything of these roots, or of all, that was acknowledged before the request, at most
 * two seconds, so that the answer includes it. While spans arrive, a wait for all takes as long as
 * a drain, and a request that reads several windows waits once.
 */
export async function settle({ ingest }: Parts, roots?: readonly string[]): Promise<SettledMark> {
  const mark = ingest.mark();
  return { mark, pending: await ingest.settled(settleMsMax, roots) };
}

/** Every event of one root inside the principal's scope, oldest first. */
export async function collectRoot(
  parts: Parts,
  reading: Reading,
  root: string,
  { eventsMax = limits.rootEventsMax, rowsMax, settled }: CollectOptions = {},
): Promise<Window> {
  const budget = rowsMax === undefined ? {} : { budgetRows: rowsMax };
  const read: ReadPage = (options) =>
    parts.store.root(reading.scope, root, { ...options, ...budget });
  const whole = { eventsMax, pageMax: eventsMax };
  // One page: each read of a root decodes and settles all of its rows, whatever its limit.
  return withoutDamage(parts, await collect(read, whole, () => settled ?? settle(parts, [root])));
}

/**
 * The window, which is not complete while it is not known which turns damage of the store touches:
 * a read that met no error may lack rows. No request states a success of it.
 */
function withoutDamage({ damage }: Pick<Parts, "damage">, window: Window): Window {
  return { ...window, complete: window.complete && damage.report().located };
}

/** Bounds of a collected window. */
export interface CollectOptions {
  /** Most events that are read. */
  readonly eventsMax?: number;
  /** Stored rows of a root after which the reading ends; the window is then `bounded`. */
  readonly rowsMax?: number;
  /** Of the request; without it the reading waits by itself. */
  readonly settled?: SettledMark;
}

/** A collected root, and its events that the request selects. */
export interface SelectedRoot {
  readonly window: Window;
  /** Selected turns, as a query. */
  readonly selected: EventQuery;
  readonly events: readonly [TurnEvent, ...TurnEvent[]];
  /** Stored rows after which the reading ended. */
  readonly rowsMax: number;
}

/**
 * `collectRoot`, with the events of the selected turns. Where the first rows have none of them, the
 * whole root is read.
 *
 * @throws CodedError as {@link missingRootError} where there are none
 */
export async function selectRoot(
  parts: Parts,
  reading: Reading,
  root: string,
  options: CollectOptions = {},
): Promise<SelectedRoot> {
  const window = await collectRoot(parts, reading, root, options);
  const selected = turnFilter(reading.query);
  const [first, ...others] = window.events.filter((event) => matches(event, selected));
  const { rowsMax = limits.rootEventsMax } = options;
  if (first !== undefined) return { window, selected, events: [first, ...others], rowsMax };
  // Selected turns may begin after the first rows.
  if (window.bounded && options.rowsMax !== undefined) return selectRoot(parts, reading, root);
  throw await missingRootError(parts, reading, root, window);
}

/**
 * Why a root has no events: `evidence_pending` where frames wait that may have some, as after a
 * start with a full journal; `store_corrupt` where its rows are there and cannot be decoded, else
 * `trace_not_found_in_window`. The tenant of such rows is unknown, so a bound principal receives it
 * for a root with a turn in scope.
 */
export async function missingRootError(
  { store }: Pick<Parts, "store">,
  { scope }: Reading,
  root: string,
  { errors, pending_frames: pending }: Pick<Window, "errors" | "pending_frames">,
): Promise<CodedError> {
  if (pending > 0) return new CodedError("evidence_pending");
  const missing = new CodedError("trace_not_found_in_window");
  if (!errors.some(({ code }) => code === "store_corrupt")) return missing;
  const isBound = !("operator" in scope) || scope.operator.applicationId !== undefined;
  if (!isBound) return new CodedError("store_corrupt");
  const where = [{ text: "root_trace_id", is: root }] as const;
  const order = { by: "first_received" } as const;
  const { records } = await store.ledger.listTurns({ scope, where }, { order, limit: 1 });
  return records.length > 0 ? new CodedError("store_corrupt") : missing;
}

/** Rows that are read for many roots at once; a root with more is read alone. */
export const togetherRows = 50_000;

/**
 * `collectRoot` for as many of these roots as one read of `rowsMax` rows returns; the others are
 * left out and must be collected one by one.
 */
export async function collectRoots(
  parts: Parts,
  { scope }: Reading,
  roots: readonly string[],
  { rowsMax = togetherRows, settled }: Pick<CollectOptions, "rowsMax" | "settled"> = {},
): Promise<ReadonlyMap<string, Window>> {
  const started = performance.now();
  const { mark, pending } = settled ?? (await settle(parts, roots));
  const options = { limit: pageRows, budgetRows: rowsMax };
  const slices = await parts.store.roots(scope, roots, options);
  return new Map(
    [...slices]
      .filter(([, slice]) => slice.next === null)
      .map(([root, slice]) => {
        const { bounded } = slice;
        return [root, withoutDamage(parts, windowOf([slice], { started, mark, pending, bounded }))];
      }),
  );
}

/** The newest matching events, up to `eventsMax`. */
export async function collectNewest(
  parts: Parts,
  { scope, query }: Reading,
  eventsMax: number,
  settled?: SettledMark,
): Promise<Window> {
  const read: ReadPage = (options) => parts.store.page(scope, query, options);
  const most = { eventsMax, pageMax: pageRows };
  return withoutDamage(parts, await collect(read, most, () => settled ?? settle(parts)));
}

async function collect(
  read: ReadPage,
  most: { readonly eventsMax: number; readonly pageMax: number },
  settled: () => SettledMark | Promise<SettledMark>,
): Promise<Window> {
  const started = performance.now();
  const { mark, pending } = await settled();
  const { slices, bounded } = await readWhole(read, most);
  return windowOf(slices, { started, mark, pending, bounded });
}

/** All slices of a walk, up to that many events, in pages of at most `pageMax`. */
async function readWhole(
  read: ReadPage,
  { eventsMax, pageMax }: { readonly eventsMax: number; readonly pageMax: number },
): Promise<{ readonly slices: readonly EventSlice[]; readonly bounded: boolean }> {
  const slices: EventSlice[] = [];
  let after: Keyset | null = null;
  let count = 0;
  let bounded = false;
  do {
    const limit: number = Math.min(pageMax, eventsMax - count);
    const slice: EventSlice = await read({ limit, ...(after === null ? {} : { after }) });
    slices.push(slice);
    count += slice.events.length;
    // A full page with a next one is no bound; a spent scan budget is one.
    bounded ||= slice.bounded && slice.next === null;
    after = slice.next;
  } while (after !== null && count < eventsMax);
  bounded ||= after !== null;
  return { slices, bounded };
}

interface ReadFacts {
  readonly started: number;
  readonly mark: string;
  readonly pending: number;
  readonly bounded: boolean;
}

/** The result of reading as a window. */
export function windowOf(
  slices: readonly EventSlice[],
  { started, mark, pending, bounded }: ReadFacts,
): Window {
  const events = slices.flatMap((slice) => slice.events);
  const errors = slices.flatMap((slice) => slice.errors);
  const total = (field: "sourceRows" | "bundleCount" | "duplicatesRemoved"): number =>
    slices.reduce((sum, slice) => sum + slice[field], 0);
  return {
    events,
    source_rows: total("sourceRows"),
    bundle_count: total("bundleCount"),
    duplicates_removed: total("duplicatesRemoved"),
    errors,
    pages: slices.length,
    bounded,
    pending_frames: pending,
    complete: !bounded && trustedErrors(errors).length === 0 && pending === 0,
    as_of: latestReceipt(events),
    mark,
    elapsed_ms: Math.round((performance.now() - started) * 1000) / 1000,
  };
}

function latestReceipt(events: readonly TurnEvent[]): string | null {
  let latest: string | null = null;
  for (const { received_at } of events) {
    if (received_at === undefined) continue;
    if (latest === null || compareTimes(received_at, latest) > 0) latest = received_at;
  }
  return latest;
}

/** The part of a query that selects turns of a collected root. */
export function turnFilter(query: EventQuery): EventQuery {
  const { agent_id, thread_id, turn_id, application_id, user_id, memory_id } = query;
  return {
    store: "all",
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(thread_id === undefined ? {} : { thread_id }),
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(application_id === undefined ? {} : { application_id }),
    ...(user_id === undefined ? {} : { user_id }),
    ...(memory_id === undefined ? {} : { memory_id }),
  };
}

/** Metadata of the reading; the events are beside it. */
export type WindowModel = Omit<Window, "events"> & { readonly event_count: number };

/** The reading without its events. */
export function windowModel({ events, ...rest }: Window): WindowModel {
  return { event_count: events.length, ...rest };
}
