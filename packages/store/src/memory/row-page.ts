/**
 * @module RowPage: a page of memory rows, newest first, ties by id, and the start of the next one.
 */
import type { ListOptions } from "../memory-store.ts";
import { isAfter, readPosition, writePosition } from "./list-position.ts";
import type { ListPosition } from "./list-position.ts";
import { compareRecords } from "./similarity.ts";

/** Rows of one page, and the position of the next; null where there is none. */
export interface RowPage<R> {
  readonly records: readonly R[];
  readonly next: string | null;
}

/** The page of these rows for the options; the caller owns it. */
export function pageOf<R extends ListPosition>(
  rows: readonly R[],
  options: ListOptions,
): RowPage<R> {
  const after = options.after === undefined ? undefined : readPosition(options.after);
  const rest = rows
    .toSorted(compareRecords)
    .filter((row) => after === undefined || isAfter(row, after));
  const { records, next } = firstPageOf(rest, options.limit);
  return { records: records.map((row) => structuredClone(row)), next };
}

/** The first page of sorted rows; one extra row means that there are more. */
export function firstPageOf<R extends ListPosition>(rows: readonly R[], limit: number): RowPage<R> {
  const records = rows.slice(0, limit);
  const last = records.at(-1);
  const more = rows.length > records.length && last !== undefined;
  return { records, next: more ? writePosition(last) : null };
}
