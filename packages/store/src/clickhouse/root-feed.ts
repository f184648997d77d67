/**
 * @module RootFeed: finds the roots that a read may need, newest received first, and settles them.
 * Rare values lead straight to their roots or their minutes; everything else is looked for in
 * windows of receipt that widen until the page is full or the scan budget is met (design 5.3).
 */
import { limits } from "@turnproof/semconv";

import type { SliceOptions } from "../evidence-store.ts";
import { positionOfKeyset } from "../position.ts";
import type { Position } from "../position.ts";
import { settle } from "../settle.ts";
import type { Answer, Engine } from "./connection.ts";
import type { Filters, RootFilter } from "./filter.ts";
import { commonPlaces, inBuckets, inBucketsOf, placesOf } from "./locate.ts";
import type { Places } from "./locate.ts";
import { murmur32 } from "./murmur.ts";
import { loadRoots } from "./root-loader.ts";
import type { ReceiptSpan } from "./receipt-span.ts";
import type { Bindings } from "./sql-text.ts";
import type { Round } from "../walk.ts";

/** What to look for. */
export interface Search {
  readonly filters: Filters;
  readonly bind: Bindings;
  /** Roots to meet in the first round; later rounds double it. */
  readonly rootsFirst: number;
  readonly options: SliceOptions;
  readonly touched: ReadonlySet<string>;
  /** First and last received time of all rows, in microseconds; undefined when there is none. */
  readonly receiptSpan: (signal?: AbortSignal) => Promise<ReceiptSpan | undefined>;
  /** Set when a root was too large to be read whole. */
  cut?: boolean;
}

/** Roots that are simply loaded; more are met in order. */
const directRootsMax = 48;
/** Roots that a driver may name; more than these, and time leads. */
const drivenRootsMax = 10_000;
const rootsPerRoundMax = 1_000;
const firstWindowMicros = 600_000_000;
const firstBuckets = 128;
const granuleRows = 4_096;
const endOfTime = 9_223_372_036_854_775_807n;

/** The settled roots of a search, round by round. Rows outside of the filters come along. */
export async function* rootFeed(engine: Engine, search: Search): AsyncGenerator<Round> {
  const { filters, options } = search;
  const hashes = [...filters.rowHashes, ...filters.roots.map(({ hash }) => hash)];
  const places = await placesOf(engine, hashes, options.signal);
  const placesAt = (hash: number): Places => places.get(hash) ?? [];
  const rowPlaces = commonPlaces(filters.rowHashes.map(placesAt));
  if (rowPlaces !== "common" && rowPlaces.length === 0) return yield nothing;
  if (filters.roots.some(({ hash }) => placesAt(hash).length === 0)) return yield nothing;
  const driver = filters.roots
    .map((filter) => ({ filter, places: placesAt(filter.hash) }))
    .filter((item) => item.places !== "common")
    .toSorted((a, b) => a.places.length - b.places.length)[0];
  let named: string[] | undefined;
  const rowsLead = rowPlaces !== "common" && rowPlaces.length < (driver?.places.length ?? Infinity);
  if (driver !== undefined && driver.places !== "common" && !rowsLead) {
    named = await rootsSaying(engine, search, driver.filter, driver.places);
    if (named.length <= directRootsMax) return yield await loadRound(engine, search, named, null);
    if (named.length > drivenRootsMax) named = undefined;
  }
  const others = filters.roots.filter((filter) => filter !== driver?.filter || named === undefined);
  yield* windows(engine, search, {
    named,
    rowPlaces,
    others: others.map((filter) => ({ filter, places: placesAt(filter.hash) })),
  });
}

const nothing: Round = { events: [], frontier: null };

interface Found {
  readonly named: readonly string[] | undefined;
  readonly rowPlaces: Places;
  readonly others: readonly { readonly filter: RootFilter; readonly places: Places }[];
}

/** Roots of which some row says what the filter wants; one more than may be used. */
async function rootsSaying(
  engine: Engine,
  search: Search,
  filter: RootFilter,
  buckets: readonly number[],
): Promise<string[]> {
  const sql = `SELECT DISTINCT root_trace_id FROM events
WHERE ${inBuckets(buckets)} AND ${filter.condition} LIMIT ${drivenRootsMax + 1}`;
  const answer = await engine.query(sql, search.bind.parameters, search.options.signal);
  return rootsOf(answer);
}

/** Windows of receipt, from the newest backwards, each wider than the one before. */
async function* windows(engine: Engine, search: Search, found: Found): AsyncGenerator<Round> {
  const { options } = search;
  const span = await search.receiptSpan(options.signal);
  if (span === undefined) return yield nothing;
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  const met = new Set<string>();
  let rootsWanted = search.rootsFirst;
  let high = Math.min(after?.micros ?? span.last, span.last);
  const widths = windowWidths(found, span.first);
  let examined = 0;
  while (high >= span.first) {
    const low = Math.max(widths.lowOf(high), span.first);
    let top: Position = { micros: high, nanos: endOfTime, key: "" };
    for (;;) {
      const answer = await meet(engine, search, found, { low, top, rootsWanted });
      const roots = rootsOf(answer);
      const last = lastOf(answer);
      const full = roots.length >= rootsWanted && last !== undefined;
      const fresh = roots.filter((root) => !met.has(root));
      for (const root of fresh) met.add(root);
      const oldest = !full && low <= span.first;
      const frontier = full ? last : oldest ? null : { micros: low - 1, nanos: endOfTime, key: "" };
      yield await loadRound(engine, search, fresh, frontier);
      if (oldest) return;
      if (!full || last === undefined) break;
      rootsWanted = Math.min(rootsWanted * 2, rootsPerRoundMax);
      top = last;
    }
    const rows = await widths.rowsIn(engine, low, high, options.signal);
    examined += rows;
    if (examined >= budget) return;
    widths.widen(rows, budget - examined);
    high = low - 1;
  }
}

/** How far back each window reaches. */
interface Widths {
  lowOf(high: number): number;
  rowsIn(engine: Engine, low: number, high: number, signal?: AbortSignal): Promise<number>;
  widen(rows: number, left: number): void;
}

/** Roots that are named need one window; rare rows go by their minutes, all else by time. */
function windowWidths(found: Found, first: number): Widths {
  const { rowPlaces } = found;
  if (found.named !== undefined) {
    return { lowOf: () => first, rowsIn: async () => 0, widen: () => {} };
  }
  if (rowPlaces !== "common") return minuteWidths(rowPlaces);
  let width = firstWindowMicros;
  return {
    lowOf: (high) => high - width + 1,
    rowsIn: countRows,
    widen(rows, left) {
      // The next window should hold a few times more rows, and no more than the budget has left.
      const wanted = Math.min(Math.max(rows * 4, 100_000), Math.max(left, 50_000));
      const factor = Math.min(Math.max(wanted / Math.max(rows, 1), 0.25), 64);
      width = Math.max(Math.floor(width * factor), 1_000_000);
    },
  };
}

function minuteWidths(buckets: readonly number[]): Widths {
  let count = firstBuckets;
  return {
    lowOf(high) {
      const before = buckets.filter((bucket) => bucket * 1_000_000 <= high);
      return (before.at(-count) ?? 0) * 1_000_000;
    },
    // A granule per minute mark is what such a window costs.
    rowsIn: async () => count * granuleRows,
    widen() {
      count *= 4;
    },
  };
}

async function countRows(
  engine: Engine,
  low: number,
  high: number,
  signal?: AbortSignal,
): Promise<number> {
  const sql = `SELECT toUInt32(count()) AS rows FROM events
WHERE received_at >= fromUnixTimestamp64Micro(${low})
    AND received_at <= fromUnixTimestamp64Micro(${high})`;
  const answer = await engine.query(sql, {}, signal);
  return Number(answer.columns.get("rows")?.[0] ?? 0);
}

interface Window {
  readonly low: number;
  readonly top: Position;
  readonly rootsWanted: number;
}

/** Roots with a row in the window that passes the filters, by their newest such row. */
function meet(engine: Engine, search: Search, found: Found, window: Window): Promise<Answer> {
  const { filters, bind, options } = search;
  const rows = [
    `received_at >= fromUnixTimestamp64Micro(${window.low})`,
    `received_at <= fromUnixTimestamp64Micro(${window.top.micros})`,
    ...(window.top.nanos === endOfTime ? [] : [belowTop(window.top)]),
    ...filters.rows,
  ];
  if (found.rowPlaces !== "common") rows.push(inBuckets(found.rowPlaces));
  if (found.named !== undefined) {
    rows.push(inBucketsOf(found.named.map(murmur32).join(", ")));
    rows.push(`root_trace_id IN ${bind.texts(found.named)}`);
  }
  const hashes = `SELECT murmurHash3_32(root_trace_id) FROM events WHERE ${rows.join(" AND ")}`;
  const said = found.others.map(({ filter, places }) => {
    // Where the candidates' roots lie, unless the filter itself knows fewer places.
    const narrower = found.rowPlaces !== "common" && found.rowPlaces.length < places.length;
    const where = places === "common" || narrower ? inBucketsOf(hashes) : inBuckets(places);
    return `root_trace_id IN (SELECT root_trace_id FROM events WHERE ${where} AND ${filter.condition})`;
  });
  const sql = `SELECT root_trace_id, max(received_at) AS received,
    argMax(timestamp, (received_at, timestamp)) AS at
FROM events
WHERE ${[...rows, ...said].join("\n    AND ")}
GROUP BY root_trace_id ORDER BY received DESC, at DESC LIMIT ${window.rootsWanted} WITH TIES`;
  return engine.query(sql, bind.parameters, options.signal);
}

function belowTop(top: Position): string {
  const at = `fromUnixTimestamp64Nano(toInt64(${top.nanos}))`;
  return `(received_at < fromUnixTimestamp64Micro(${top.micros}) OR timestamp < ${at})`;
}

async function loadRound(
  engine: Engine,
  search: Search,
  roots: readonly string[],
  frontier: Position | null,
): Promise<Round> {
  const loaded = await loadRoots(engine, search.touched, roots, search.options.signal);
  if (loaded.cut) search.cut = true;
  return { events: settle(loaded.rows), frontier };
}

function rootsOf(answer: Answer): string[] {
  return (answer.columns.get("root_trace_id") ?? []) as string[];
}

/** The place up to which a round that was cut is complete: ties come whole. */
function lastOf(answer: Answer): Position | undefined {
  if (answer.rows === 0) return undefined;
  const last = answer.rows - 1;
  const nanos = answer.columns.get("at")?.[last] as bigint;
  return { micros: microsOf(answer, "received", last), nanos, key: "~" };
}

function microsOf(answer: Answer, column: string, row: number): number {
  return Number(answer.columns.get(column)?.[row] ?? 0);
}
