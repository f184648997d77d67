/**
 * @module OrderSql: the values of orders as SQL that all engines have. Texts in it are of our own
 * tables, never of a caller.
 */
import { absentTexts, codeWeights, otherWeight, verdictRanks } from "./turn-orders.ts";
import type { TextOrder } from "./turn-orders.ts";

/** Texts of our own as a list. */
export function wordsSql(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(", ");
}

/** Severity of a verdict; null where it is unknown. */
export const verdictRankSql: string = `CASE verdict ${Object.entries(verdictRanks)
  .map(([verdict, rank]) => `WHEN '${verdict}' THEN ${rank}`)
  .join(" ")} END`;

/** Weight of the code in a column. */
export function codeWeightSql(column: string): string {
  const known = codeWeights.map(
    ({ codes, weight }) => `WHEN ${column} IN (${wordsSql(codes)}) THEN ${weight}`,
  );
  return `CASE ${known.join(" ")} ELSE ${otherWeight} END`;
}

/** True where the findings of a turn are known. */
export const judgedSql: string = `verdict <> '${absentTexts.verdict}'`;

/** A text, null where it is absent. */
export function textOrderSql(field: TextOrder): string {
  const absent = absentTexts[field];
  return absent === undefined ? field : `nullif(${field}, '${absent}')`;
}
