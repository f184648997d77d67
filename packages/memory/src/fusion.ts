/**
 * @module Fusion: one order from two searches, by meaning and by words. Words are weighed by how
 * rare they are among the candidates, so that "the" says little and an order number much without
 * any list of words. The two orders become one by reciprocal rank fusion (Cormack, Clarke and
 * Büttcher 2009), each rank weighed by how relevant its search finds the row. Pure.
 */
import { wordsOf } from "./words.ts";

/** Of the fusion, as published: how much the first ranks count more than those behind them. */
const rankConstant = 60;

/** Where fewer texts were found, a word that one of them has is rare all the same. */
const rowsMin = 32;

/**
 * The share of a question's words that each text has, from 0 to 1; a word weighs more the fewer of
 * the texts have it (inverse document frequency as in BM25).
 */
export function wordShares(question: string, texts: readonly string[]): readonly number[] {
  const asked = [...new Set(wordsOf(question))];
  const said = texts.map((text) => new Set(wordsOf(text)));
  const rows = Math.max(rowsMin, said.length);
  const weighed = asked.map((word) => {
    const having = said.filter((words) => words.has(word)).length;
    return { word, weight: Math.log(1 + (rows - having + 0.5) / (having + 0.5)) };
  });
  const whole = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return said.map((words) => {
    const shared = weighed.reduce(
      (sum, { word, weight }) => sum + (words.has(word) ? weight : 0),
      0,
    );
    return whole === 0 ? 0 : shared / whole;
  });
}

/**
 * Fuses what several searches say of the same rows: relevances from 0 to 1, undefined where a
 * search does not count the row. Equal relevances share a rank.
 * @returns a number for each row, from 0 (counted by no search) to 1 (the best of each, and whole)
 */
export function fuseRanks(
  searches: readonly (readonly (number | undefined)[])[],
): readonly number[] {
  const fused = Array.from({ length: searches[0]?.length ?? 0 }, () => 0);
  for (const relevances of searches) {
    const ranked = relevances.filter((found) => found !== undefined).toSorted((a, b) => b - a);
    for (const [at, relevance] of relevances.entries()) {
      if (relevance === undefined) continue;
      const rank = ranked.indexOf(relevance) + 1;
      fused[at] = (fused[at] as number) + (relevance * (rankConstant + 1)) / (rankConstant + rank);
    }
  }
  return fused.map((sum) => sum / Math.max(1, searches.length));
}
