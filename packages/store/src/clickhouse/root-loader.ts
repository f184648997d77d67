/**
 * @module RootLoader: the stored rows of whole roots. Identity is resolved over the root, so no
 * read ever rests on a part of one. Roots go by their hash: two of one hash are both loaded.
 */
import { limits } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { eventColumns } from "./columns.ts";
import type { Engine } from "./connection.ts";
import type { RootBuckets } from "./locate.ts";
import { decodeRows } from "./row-decode.ts";

/** Rows of some roots, and whether a root was too large to be read whole. */
export interface LoadedRoots {
  readonly rows: StoredEvent[];
  readonly cut: boolean;
}

/** Places that are named in one statement; more are loaded by several. */
const placesMax = 2_000;

/**
 * Loads all rows of the roots with these hashes, whose buckets are known, with the columns that any
 * row ever set; with `rowsMax` no more than one beyond it, of whichever roots come first.
 */
export async function loadRoots(
  engine: Engine,
  touched: ReadonlySet<string>,
  buckets: RootBuckets,
  signal?: AbortSignal,
  rowsMax?: number,
): Promise<LoadedRoots> {
  const names = eventColumns
    .map(({ name }) => name)
    .filter(
      // Which batch a row came with is not a reader's business.
      (name) => touched.has(name) && name !== "batch",
    );
  const places = [...buckets].flatMap(([root, list]) =>
    list.map((bucket) => `(${bucket}, ${root})`),
  );
  if (places.length === 0) return { rows: [], cut: false };
  const rows: StoredEvent[] = [];
  const bound = rowsMax === undefined ? "" : ` LIMIT ${rowsMax + 1}`;
  for (let from = 0; from < places.length; from += placesMax) {
    const sql = `SELECT ${names.join(", ")}
FROM events
PREWHERE (toStartOfFiveMinutes(received_at), murmurHash3_32(root_trace_id))
    IN (${places.slice(from, from + placesMax).join(", ")})
LIMIT ${limits.rootEventsMax + 1} BY root_trace_id${bound}`;
    const answer = await engine.query(sql, {}, signal);
    for (const row of decodeRows(answer)) rows.push(row);
    if (rowsMax !== undefined && rows.length > rowsMax) break;
  }
  return { rows, cut: rows.length > limits.rootEventsMax && someRootIsCut(rows) };
}

function someRootIsCut(rows: readonly StoredEvent[]): boolean {
  const counts = new Map<string | undefined, number>();
  for (const { root_trace_id } of rows) {
    counts.set(root_trace_id, (counts.get(root_trace_id) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count > limits.rootEventsMax);
}
