/**
 * @module RootFeed: finds the roots that a read may need, newest received first, and settles them.
 * Rare values lead straight to their roots or their minutes; everything else is looked for in
 * windows of receipt that widen until the page is full or the scan budget is met (design 5.3).
 */
import { limits } from "@turnproof/semconv";

import { positionOfKeyset } from "../position.ts";
import type { Position } from "../position.ts";
import type { Answer, Engine } from "./connection.ts";
import {
  arrivals,
  bucketsOfRoots,
  commonPlaces,
  inBuckets,
  placesOf,
  placesOfTimes,
  rootsOfAll,
  setsApart,
} from "./locate.ts";
import type { Narrowing, Occurrence, Places } from "./locate.ts";
import { namedRounds } from "./named-rounds.ts";
import type { ReceiptSpan } from "./receipt-span.ts";
import { endOfTime, loadRound, nothing, rootsPerRoundMax } from "./round-loader.ts";
import type { Search } from "./round-loader.ts";
import type { Round } from "../walk.ts";

/** Roots that the locate table may name; more than these, and time leads. */
const namedRootsMax = 4_000;
/** Of more roots than these the newest are found by arrival, not each by its name. */
const amongNamedMax = 500;
/** A value under which more rows of the locate table stand leads to no roots. */
const leadingRowsMax = 50_000;
/** A value under which more rows of the locate table stand is not worth its intersection. */
const joinedRowsMax = 500_000;
const firstWindowMicros = 600_000_000;
const firstArrivalSeconds = 86_400;
/** How much longer the next span of arrivals is when one did not fill a page. */
const arrivalGrowth = 8;
const firstBuckets = 128;
const fullBuckets = 8;
const granuleRows = 2_048;

/** The settled roots of a search, round by round. Rows outside of the filters come along. */
export async function* rootFeed(engine: Engine, search: Search): AsyncGenerator<Round> {
  const { filters, options, among } = search;
  if (among !== undefined && among.length <= amongNamedMax) {
    const buckets = await bucketsOfRoots(engine, among, options.signal);
    return yield* namedRounds(engine, search, buckets);
  }
  if (among !== undefined) {
    const hashes = [...filters.fineHashes, ...filters.rootHashes];
    return yield* arrivalRounds(engine, search, { hashes, among });
  }
  if (filters.open) return yield* arrivalRounds(engine, search);
  const { rootHashes, sureHashes } = filters;
  if (sureHashes.length > 0) {
    const few = { limit: namedRootsMax, sure: true };
    const all = [...sureHashes, ...rootHashes, ...filters.fineHashes];
    const named = await rootsOfAll(engine, all, few, options.signal);
    if (named !== undefined) return yield* namedRounds(engine, search, named);
  }
  const known = await placesOf(engine, [...filters.rowHashes, ...rootHashes], options.signal);
  const rowPlaces = commonPlaces(filters.rowHashes.map((hash) => known.get(hash)?.places ?? []));
  if (rowPlaces !== "common" && rowPlaces.length === 0) return yield nothing;
  if (rootHashes.some((hash) => !known.has(hash))) return yield nothing;
  const rowsOf = (hash: number): number => known.get(hash)?.rows ?? 0;
  const leading = [...filters.fineHashes, ...rootHashes].filter(
    (hash) => rowsOf(hash) <= joinedRowsMax,
  );
  const fewest = Math.min(...leading.map(rowsOf));
  // One value that so many roots say needs no look at their names.
  if (fewest <= (leading.length === 1 ? namedRootsMax : leadingRowsMax)) {
    const sure = fewest <= namedRootsMax;
    const named = await rootsOfAll(engine, leading, { limit: namedRootsMax, sure }, options.signal);
    if (named !== undefined) return yield* namedRounds(engine, search, named);
  }
  if (filters.byRoots) return yield* arrivalRounds(engine, search, { hashes: leading });
  if (filters.times.length === 0) return yield* windows(engine, search, { rowPlaces, known });
  const timed = await placesOfTimes(engine, filters.times, options.signal);
  if (timed.span === undefined) return yield nothing;
  const both = commonPlaces([rowPlaces, timed.places]);
  if (both !== "common" && both.length === 0) return yield nothing;
  const full = filters.rowHashes.length + rootHashes.length === 0;
  yield* windows(engine, search, { rowPlaces: both, known, span: timed.span, full });
}

interface Found {
  readonly rowPlaces: Places;
  readonly known: ReadonlyMap<number, Occurrence>;
  /** Receipts outside of which nothing lies. */
  readonly span?: ReceiptSpan;
  /** True when nearly every row of these minutes is wanted: then a few of them fill a page. */
  readonly full?: boolean;
}

/** Rounds over all roots, or those that say the hashes, by the second of their receipt. */
async function* arrivalRounds(
  engine: Engine,
  search: Search,
  narrowing: Narrowing = {},
): AsyncGenerator<Round> {
  const { options } = search;
  const span = await search.receiptSpan(options.signal);
  if (span === undefined) return yield nothing;
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  const first = Math.floor(span.first / 1_000_000);
  const met = new Set<number>();
  let high = Math.floor(Math.min(after?.micros ?? span.last, span.last) / 1_000_000);
  let reach = firstArrivalSeconds;
  let limit = search.rootsFirst + 8;
  let examined = 0;
  while (high >= first && examined < budget) {
    const low = Math.max(high - reach, first);
    const found = await arrivals(engine, { low, high, limit }, narrowing, options.signal);
    const cutAt = found.length < limit ? undefined : found.at(-1)?.seconds;
    // A second comes whole or not at all; one with very many roots is told apart by its rows.
    const whole = found.filter(({ seconds }) => seconds !== cutAt);
    if (whole.length === 0 && cutAt !== undefined) {
      const known = new Map<number, Occurrence>();
      if (limit > rootsPerRoundMax)
        return yield* windows(engine, search, { rowPlaces: "common", known }, met);
      limit *= 4;
      continue;
    }
    const fresh = [...new Set(whole.map(({ root }) => root))].filter((root) => !met.has(root));
    for (const root of fresh) met.add(root);
    const oldest = cutAt === undefined && low <= first;
    const reached = cutAt === undefined ? low : cutAt + 1;
    const frontier = { micros: reached * 1_000_000 - 1, nanos: endOfTime, key: "" };
    const buckets = await bucketsOfRoots(engine, fresh, options.signal);
    const round = await loadRound(engine, search, buckets, oldest ? null : frontier);
    examined += round.events.length;
    yield round;
    if (oldest) return;
    high = reached - 1;
    if (cutAt === undefined) reach *= arrivalGrowth;
    limit = Math.min(limit * 2, rootsPerRoundMax);
  }
}

/** Windows of receipt, from the newest backwards, each wider than the one before. */
async function* windows(
  engine: Engine,
  search: Search,
  found: Found,
  met: Set<number> = new Set(),
): AsyncGenerator<Round> {
  const { options } = search;
  const span = found.span ?? (await search.receiptSpan(options.signal));
  if (span === undefined) return yield nothing;
  const after = options.after === undefined ? undefined : positionOfKeyset(options.after);
  const budget = options.budgetRows ?? limits.scanRowsMax;
  let rootsWanted = search.rootsFirst;
  let high = Math.min(after?.micros ?? span.last, span.last);
  const widths = windowWidths(found);
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
      const buckets = await bucketsOfRoots(engine, fresh, options.signal);
      yield await loadRound(engine, search, buckets, frontier);
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

/** Rare rows go by their minutes, all else by time. */
function windowWidths({ rowPlaces, full }: Found): Widths {
  if (rowPlaces !== "common") return minuteWidths(rowPlaces, full ? fullBuckets : firstBuckets);
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

function minuteWidths(buckets: readonly number[], first: number): Widths {
  let count = first;
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
  const met = `SELECT murmurHash3_32(root_trace_id) FROM events WHERE ${rows.join(" AND ")}`;
  const said = filters.rootHashes.map((hash) => inRootsOf(hash, found, met));
  const sql = `SELECT murmurHash3_32(root_trace_id) AS root, max(received_at) AS received,
    argMax(timestamp, (received_at, timestamp)) AS at
FROM events
WHERE ${[...rows, ...said].join("\n    AND ")}
GROUP BY root ORDER BY received DESC, at DESC LIMIT ${window.rootsWanted} WITH TIES
${setsApart}`;
  return engine.query(sql, bind.parameters, options.signal);
}

/** Condition that some row of the root says what the filter wants; `met` are roots in question. */
function inRootsOf(hash: number, { known }: Found, met: string): string {
  // A common value is only looked up in the minutes of the roots that were met.
  const common = (known.get(hash)?.rows ?? 0) > leadingRowsMax;
  const near = common ? ` AND bucket IN (SELECT bucket FROM locate WHERE hash IN (${met}))` : "";
  return `murmurHash3_32(root_trace_id) IN (SELECT root FROM locate WHERE hash = ${hash}${near})`;
}

function belowTop(top: Position): string {
  const at = `fromUnixTimestamp64Nano(toInt64(${top.nanos}))`;
  return `(received_at < fromUnixTimestamp64Micro(${top.micros}) OR timestamp < ${at})`;
}

function rootsOf(answer: Answer): number[] {
  return (answer.columns.get("root") ?? []) as number[];
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
