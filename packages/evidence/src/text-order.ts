/** @module TextOrder: texts in the order of their code units, which no language of a machine moves. */

/** Negative, zero or positive, as `sort` wants it. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
