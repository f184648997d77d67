/** @module Locate: in which five minutes of receipt hashed values occur. */
import type { Engine } from "./connection.ts";

/** Buckets beyond this make a value common: it restricts nothing worth the restriction. */
const rareBucketsMax = 2_000;

/** Sorted bucket starts (seconds) of a rare value, or `common`. */
export type Places = readonly number[] | "common";

/** Where each of these hashes occurs; one that never does has no places. */
export async function placesOf(
  engine: Engine,
  hashes: readonly number[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, Places>> {
  const wanted = [...new Set(hashes)];
  const places = new Map<number, Places>(wanted.map((hash) => [hash, []]));
  if (wanted.length === 0) return places;
  const sql = `SELECT hash, groupUniqArray(${rareBucketsMax + 1})(bucket) AS buckets
FROM locate WHERE hash IN (${wanted.join(", ")}) GROUP BY hash`;
  const answer = await engine.query(sql, {}, signal);
  const buckets = answer.columns.get("buckets") ?? [];
  for (const [i, hash] of (answer.columns.get("hash") ?? []).entries()) {
    const list = buckets[i] as number[];
    places.set(
      hash as number,
      list.length > rareBucketsMax ? "common" : list.toSorted((a, b) => a - b),
    );
  }
  return places;
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

/** Condition that a row was received where the locate table knows these hashes (an SQL set). */
export function inBucketsOf(hashes: string): string {
  return `toStartOfFiveMinutes(received_at) IN (SELECT bucket FROM locate WHERE hash IN (${hashes}))`;
}
