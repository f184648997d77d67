/**
 * @module Locate: in which five minutes of receipt, and in which roots, hashed values occur. A hash
 * of 32 bits may stand for two values or two roots; readers check what they load.
 */
import type { Engine } from "./connection.ts";
import type { ReceiptSpan } from "./receipt-span.ts";

/** Under this hash every root stands at each second in which something of it was received. */
export const arrivalHash = 0;

/** Buckets beyond this make a value common: it restricts nothing worth the restriction. */
const rareBucketsMax = 2_000;

/** Sorted bucket starts (seconds) of a rare value, or `common`. */
export type Places = readonly number[] | "common";

/** Where one hash occurs, and in how many rows of the locate table. */
export interface Occurrence {
  readonly places: Places;
  readonly rows: number;
}

/** Where each of these hashes occurs; one that never does is left out. */
export async function placesOf(
  engine: Engine,
  hashes: readonly number[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Occurrence>> {
  const wanted = [...new Set(hashes)];
  const found = new Map<number, Occurrence>();
  if (wanted.length === 0) return found;
  const sql = `SELECT hash, groupUniqArray(${rareBucketsMax + 1})(bucket) AS buckets,
    toUInt32(count()) AS rows
FROM locate WHERE hash IN (${wanted.join(", ")}) GROUP BY hash`;
  const answer = await engine.query(sql, {}, signal);
  const buckets = answer.columns.get("buckets") ?? [];
  const rows = answer.columns.get("rows") ?? [];
  for (const [i, hash] of (answer.columns.get("hash") ?? []).entries()) {
    const list = buckets[i] as number[];
    const places = list.length > rareBucketsMax ? "common" : list.toSorted((a, b) => a - b);
    found.set(hash as number, { places, rows: Number(rows[i]) });
  }
  return found;
}

/** Buckets (seconds) in which rows of some roots lie, by the hash of the root. */
export type RootBuckets = ReadonlyMap<number, readonly number[]>;

/**
 * Where the roots lie under which all of these hashes stand; undefined when they are too many.
 * `sure` says that they cannot be: then one statement finds both.
 */
export async function rootsOfAll(
  engine: Engine,
  hashes: readonly number[],
  { limit, sure }: { readonly limit: number; readonly sure: boolean },
  signal?: AbortSignal,
): Promise<RootBuckets | undefined> {
  const wanted = [...new Set(hashes)];
  const all = wanted.length === 1 ? "" : ` GROUP BY root HAVING uniqExact(hash) = ${wanted.length}`;
  const sql = `SELECT ${all === "" ? "DISTINCT " : ""}root FROM locate
    WHERE hash IN (${wanted.join(", ")})${all} LIMIT ${limit + 1}`;
  if (sure) return bucketsOf(engine, sql, signal);
  const answer = await engine.query(sql, {}, signal);
  const roots = (answer.columns.get("root") ?? []) as number[];
  return roots.length > limit ? undefined : bucketsOfRoots(engine, roots, signal);
}

/** Where these roots lie. */
export async function bucketsOfRoots(
  engine: Engine,
  roots: readonly number[],
  signal?: AbortSignal,
): Promise<RootBuckets> {
  return roots.length === 0 ? new Map() : bucketsOf(engine, roots.join(", "), signal);
}

async function bucketsOf(
  engine: Engine,
  roots: string,
  signal: AbortSignal | undefined,
): Promise<RootBuckets> {
  const found = new Map<number, number[]>();
  const sql = `SELECT root, bucket FROM locate WHERE hash IN (${roots}) AND root = hash`;
  const answer = await engine.query(sql, {}, signal);
  const buckets = answer.columns.get("bucket") ?? [];
  for (const [i, root] of (answer.columns.get("root") ?? []).entries()) {
    const bucket = buckets[i] as number;
    const list = found.get(root as number);
    if (list === undefined) found.set(root as number, [bucket]);
    // Until the engine merged them, one row may stand twice.
    else if (!list.includes(bucket)) list.push(bucket);
  }
  return found;
}

/** A root and the second in which something of it was received. */
export interface Arrival {
  readonly root: number;
  readonly seconds: number;
}

/**
 * A set of very many roots is dear to hold against the marks of the key and leaves none of them out
 * (110 ms instead of 13 for 80,000 roots); its rows are held against it instead.
 */
export const setsApart = "SETTINGS use_index_for_in_with_subqueries = 0";

/** Hashes that roots have to say, and the hashes of the only roots that come into question. */
export interface Narrowing {
  readonly hashes?: readonly number[];
  readonly among?: readonly number[] | undefined;
}

/** The latest arrivals of a span of seconds, of roots that say all of these hashes, newest first. */
export async function arrivals(
  engine: Engine,
  span: { readonly low: number; readonly high: number; readonly limit: number },
  { hashes = [], among }: Narrowing = {},
  signal?: AbortSignal,
): Promise<Arrival[]> {
  const said = [...new Set(hashes)].map(
    (hash) => ` AND root IN (SELECT root FROM locate WHERE hash = ${hash})`,
  );
  if (among !== undefined) said.push(` AND root IN (${among.join(", ")})`);
  const sql = `SELECT root, bucket FROM locate
WHERE hash = ${arrivalHash} AND bucket >= ${span.low} AND bucket <= ${span.high}${said.join("")}
ORDER BY hash DESC, bucket DESC LIMIT ${span.limit} ${setsApart}`;
  const answer = await engine.query(sql, {}, signal);
  const seconds = answer.columns.get("bucket") ?? [];
  return (answer.columns.get("root") ?? []).map((root, i) => ({
    root: root as number,
    seconds: seconds[i] as number,
  }));
}

/** The latest second of a span in which each of these roots was heard of. */
export async function lastArrivals(
  engine: Engine,
  { low, high }: { readonly low: number; readonly high: number },
  roots: readonly number[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const sql = `SELECT root, max(bucket) AS last FROM locate
WHERE hash = ${arrivalHash} AND bucket >= ${low} AND bucket <= ${high}
    AND root IN (${roots.join(", ")})
GROUP BY root`;
  const answer = await engine.query(sql, {}, signal);
  const last = answer.columns.get("last") ?? [];
  const found = (answer.columns.get("root") ?? []) as readonly number[];
  return new Map(found.map((root, i) => [root, last[i] as number]));
}

/** Where rows of a range of their own time lie by receipt. */
export interface TimedPlaces {
  readonly places: Places;
  /** First and last receipt among them, in microseconds; undefined when there is no such row. */
  readonly span: ReceiptSpan | undefined;
}

/**
 * In which receipts rows of this time lie: an event may be received long after it happened, so only
 * the rows can tell. Reads two columns.
 */
export async function placesOfTimes(
  engine: Engine,
  conditions: readonly string[],
  signal?: AbortSignal,
): Promise<TimedPlaces> {
  const sql = `SELECT groupUniqArray(${rareBucketsMax + 1})(toUnixTimestamp(bucket)) AS buckets,
    min(low) AS first, max(high) AS last
FROM (
    SELECT toStartOfFiveMinutes(received_at) AS bucket, min(received_at) AS low,
        max(received_at) AS high
    FROM events WHERE ${conditions.join(" AND ")} GROUP BY bucket
)`;
  const answer = await engine.query(sql, {}, signal);
  const buckets = (answer.columns.get("buckets")?.[0] ?? []) as number[];
  if (buckets.length === 0) return { places: [], span: undefined };
  const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
  const places = buckets.length > rareBucketsMax ? "common" : buckets.toSorted((a, b) => a - b);
  return { places, span: { first: at("first"), last: at("last") } };
}

/** Buckets that are in every rare list, or `common` when none is rare. */
export function commonPlaces(lists: readonly Places[]): Places {
  let found: Places = "common";
  for (const list of lists) {
    if (list === "common") continue;
    if (found === "common") {
      found = list;
      continue;
    }
    const known: ReadonlySet<number> = new Set(list);
    found = found.filter((bucket) => known.has(bucket));
  }
  return found;
}

/** Condition that a row was received in one of these buckets. */
export function inBuckets(buckets: readonly number[]): string {
  return `toStartOfFiveMinutes(received_at) IN (${buckets.join(", ")})`;
}
