/**
 * @module RootLoader: the stored rows of whole roots. Identity is resolved over the root, so no
 * read ever rests on a part of one. Roots go by their hash: two of one hash are both loaded.
 */
import { turnRowAttributes } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { eventColumns } from "./columns.ts";
import type { Engine } from "./connection.ts";
import type { RootBuckets } from "./locate.ts";
import { decodeRows } from "./row-decode.ts";
import { attributeTypes } from "./row-encode.ts";

/** Rows of some roots, and whether a root was too large to be read whole. */
export interface LoadedRoots {
  readonly rows: StoredEvent[];
  readonly cut: boolean;
}

/** Places that are named in one statement; more are loaded by several. */
const placesMax = 2_000;

/** Which batch a row came with is not a reader's business. */
const readColumns: readonly string[] = eventColumns
  .map(({ name }) => name)
  .filter((name) => name !== "batch");

const ofRows: ReadonlySet<string> = new Set(turnRowAttributes);
const ofReferences = /^(input|output|ledger|link)_/;

/** What rows of turns are folded from: references, links and most attributes say nothing there. */
const foldedColumns: readonly string[] = readColumns.filter((name) =>
  attributeTypes.has(name) ? ofRows.has(name) : !ofReferences.test(name),
);

/** What is loaded of roots. */
export interface Loading {
  /** Columns that any row ever set. */
  readonly touched: ReadonlySet<string>;
  /** Only what rows of turns are folded from. */
  readonly folded?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** No more rows than one beyond so many, of whichever roots come first. */
  readonly rowsMax?: number;
}

/** Loads all rows of the roots with these hashes, whose buckets are known. */
export async function loadRoots(
  engine: Engine,
  buckets: RootBuckets,
  { touched, folded = false, signal, rowsMax }: Loading,
): Promise<LoadedRoots> {
  const names = (folded ? foldedColumns : readColumns).filter((name) => touched.has(name));
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
