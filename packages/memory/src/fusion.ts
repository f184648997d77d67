/**
 * @module Fusion: one order from two searches, by meaning and by words. Words are weighed by their
 * rarity among the candidates, so that an order number outweighs "the" without a list of stop
 * words. The orders are merged by reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), each
 * rank weighed by the relevance of the row in its search. Pure.
 */
import { wordsOf } from "./words.ts";

/** The constant k of the published method: how much the first ranks outweigh later ones. */
const rankConstant = 60;

/**
 * Least number of texts assumed for rarity, so that a word in one of few texts still counts as
 * rare.
 */
const rowsMin = 32;

/**
 * The share of a question's words that each text has, from 0 to 1; a word weighs more the fewer of
 * the texts have it (inverse document frequency as in BM25).
 */
export function wordShares(question: string, texts: readonly string[]): readonly number[] {
  const requested = [...new Set(wordsOf(question))];
  const wordSets = texts.map((text) => new Set(wordsOf(text)));
  const rows = Math.max(rowsMin, wordSets.length);
  const weighed = requested.map((word) => {
    const having = wordSets.filter((words) => words.has(word)).length;
    return { word, weight: Math.log(1 + (rows - having + 0.5) / (having + 0.5)) };
  });
  const whole = weighed.reduce((sum, { weight }) => sum + weight, 0);
  return wordSets.map((words) => {
    const shared = weighed.reduce(
      (sum, { word, weight }) => sum + (words.has(word) ? weight : 0),
      0,
    );
    return whole === 0 ? 0 : shared / whole;
  });
}

/**
 * Fuses the relevances that several searches gave the same rows: 0 to 1, undefined where a search
 * does not count the row. Equal relevances share a rank.
 * @returns a number for each row, from 0 (counted by no search) to 1 (first in each, with
 * relevance 1)
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
