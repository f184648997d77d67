/**
 * @module RowsInOrder: the rows of a list that is counted as a whole, in the order of a column. All
 * of its rows are sorted before a page of them is taken.
 */
import { z } from "zod";

/** Direction of an order, beside the parameter `sort`. */
export const orderParameter = z
  .enum(["descending", "ascending"])
  .describe("Default `descending`.")
  .optional();

/** Value of a row in a column; null or absent is unknown. */
type SortValue = string | number | null | undefined;

/** The rows by a value, equal ones as they were; unknown values come last in both directions. */
export function rowsInOrder<T>(
  rows: readonly T[],
  valueOf: (row: T) => SortValue,
  order: "descending" | "ascending" | undefined,
): readonly T[] {
  const sign = order === "ascending" ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [x = null, y = null] = [valueOf(a), valueOf(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return x === y ? 0 : x < y ? -sign : sign;
  });
}
