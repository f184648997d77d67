/** @module TextOrder: texts in the order of their code units, independent of the locale. */

/** Negative, zero or positive, for `sort`. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
