/** @module RowPage: a page of rows, newest first, ties by id. */
import type { ListOptions } from "../memory-store.ts";
import { isAfter, readPosition, writePosition } from "../memory/list-position.ts";
import { compareRecords } from "../memory/similarity.ts";

/** The page of these rows; the caller owns it. */
export function pageOf<R extends { readonly id: string; readonly created_at: string }>(
  rows: readonly R[],
  options: ListOptions,
): { readonly records: readonly R[]; readonly next: string | null } {
  const after = options.after === undefined ? undefined : readPosition(options.after);
  const rest = rows
    .toSorted(compareRecords)
    .filter((row) => after === undefined || isAfter(row, after));
  const records = rest.slice(0, options.limit).map((row) => structuredClone(row));
  const last = records.at(-1);
  const more = rest.length > records.length && last !== undefined;
  return { records, next: more ? writePosition(last) : null };
}
