/**
 * @module RootLoader: the stored rows of whole roots. Identity is resolved over the root, so no
 * read ever rests on a part of one.
 */
import { limits } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { eventColumns } from "./columns.ts";
import type { Engine } from "./connection.ts";
import { inBuckets, inBucketsOf } from "./locate.ts";
import { murmur32 } from "./murmur.ts";
import { decodeRows } from "./row-decode.ts";
import { bindings } from "./sql-text.ts";

/** Rows of some roots, and whether a root was too large to be read whole. */
export interface LoadedRoots {
  readonly rows: StoredEvent[];
  readonly cut: boolean;
}

/** Buckets that are named in a statement; more are looked up by the engine itself. */
const bucketsMax = 4_000;

/** Loads all rows of these roots, with the columns that any row ever set. */
export async function loadRoots(
  engine: Engine,
  touched: ReadonlySet<string>,
  roots: readonly string[],
  signal?: AbortSignal,
): Promise<LoadedRoots> {
  if (roots.length === 0) return { rows: [], cut: false };
  const bind = bindings();
  const names = eventColumns.map(({ name }) => name).filter((name) => touched.has(name));
  const hashes = roots.map(murmur32).join(", ");
  const places = await engine.query(
    `SELECT DISTINCT bucket FROM locate WHERE hash IN (${hashes}) LIMIT ${bucketsMax}`,
    {},
    signal,
  );
  const buckets = (places.columns.get("bucket") ?? []) as number[];
  if (buckets.length === 0) return { rows: [], cut: false };
  const where = buckets.length < bucketsMax ? inBuckets(buckets) : inBucketsOf(hashes);
  const sql = `SELECT ${names.join(", ")}
FROM events
PREWHERE ${where} AND root_trace_id IN ${bind.texts(roots)}
LIMIT ${limits.rootEventsMax + 1} BY root_trace_id`;
  const answer = await engine.query(sql, bind.parameters, signal);
  const rows = decodeRows(answer);
  return { rows, cut: rows.length > limits.rootEventsMax && someRootIsCut(rows) };
}

function someRootIsCut(rows: readonly StoredEvent[]): boolean {
  const counts = new Map<string | undefined, number>();
  for (const { root_trace_id } of rows) {
    counts.set(root_trace_id, (counts.get(root_trace_id) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count > limits.rootEventsMax);
}
