/**
 * @module Locate: in which five minutes of receipt, and in which roots, hashed values occur. A hash
 * of 32 bits may stand for two values or two roots; readers check what they load.
 */
import type { Engine } from "./connection.ts";

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

/** Roots under which all of these hashes stand, at most `limit`. */
export async function rootsOfAll(
  engine: Engine,
  hashes: readonly number[],
  limit: number,
  signal?: AbortSignal,
): Promise<number[]> {
  const wanted = [...new Set(hashes)];
  const all = wanted.length === 1 ? "" : ` GROUP BY root HAVING uniqExact(hash) = ${wanted.length}`;
  const sql = `SELECT ${all === "" ? "DISTINCT " : ""}root FROM locate
WHERE hash IN (${wanted.join(", ")})${all} LIMIT ${limit}`;
  const answer = await engine.query(sql, {}, signal);
  return (answer.columns.get("root") ?? []) as number[];
}

/** Buckets (seconds) in which rows of these roots lie, by the hash of the root. */
export async function bucketsOfRoots(
  engine: Engine,
  roots: readonly number[],
  signal?: AbortSignal,
): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  if (roots.length === 0) return found;
  const sql = `SELECT DISTINCT root, bucket FROM locate
WHERE hash IN (${roots.join(", ")}) AND root = hash`;
  const answer = await engine.query(sql, {}, signal);
  const buckets = answer.columns.get("bucket") ?? [];
  for (const [i, root] of (answer.columns.get("root") ?? []).entries()) {
    const list = found.get(root as number);
    if (list === undefined) found.set(root as number, [buckets[i] as number]);
    else list.push(buckets[i] as number);
  }
  return found;
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
