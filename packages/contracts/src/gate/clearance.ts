/**
 * @module Clearance: how far the share that holds must stay from an allowed drop for "no
 * regression". The measure is that of the interval, in standard errors. Beside a baseline that
 * hardly ever violates, its bound is wrong more often than its level, so the score that clears is
 * worked out: for every share of the baseline, at a drop as large as the allowed one, a result as
 * clear has at most the chance `alpha`.
 */
import { binomial, normalQuantile } from "./chance.ts";
import { dropScore, dropScoreOfPairs, pairsOf } from "./intervals.ts";
import type { CaseCount, TrialCount } from "./trials.ts";

/** Sizes of a comparison: turns with a result on each side, or cases with one on both. */
export type ClearedSizes =
  | { readonly baseline: number; readonly candidate: number }
  | { readonly cases: number };

/** What is allowed, and the chance to clear a drop that is as large. */
export interface AllowedDrop {
  readonly drop: number;
  readonly alpha: number;
}

/** True where a drop as large as the allowed one is excluded. @param paired cases are the units */
export function isCleared(
  cases: readonly CaseCount[],
  allowed: AllowedDrop,
  paired: boolean,
): boolean {
  if (paired) {
    const pairs = pairsOf(cases);
    if (pairs.cases === 0) return false;
    return dropScoreOfPairs(pairs, allowed.drop) <= clearingScore({ cases: pairs.cases }, allowed);
  }
  const [one] = cases;
  const sizes = { baseline: established(one?.baseline), candidate: established(one?.candidate) };
  if (one === undefined || sizes.baseline === 0 || sizes.candidate === 0) return false;
  return dropScore(one, allowed.drop) <= clearingScore(sizes, allowed);
}

/** Sizes whose score is kept: contracts of a gate have mostly the same. */
const keptMax = 64;
const kept = new Map<string, number>();

/**
 * Largest score that clears; never above the one at which the interval's bound is the allowed drop.
 */
export function clearingScore(sizes: ClearedSizes, allowed: AllowedDrop): number {
  const key = JSON.stringify([sizes, allowed.drop, allowed.alpha]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const score = "cases" in sizes ? scoreOfPairs(sizes.cases, allowed) : scoreOfOne(sizes, allowed);
  if (kept.size >= keptMax) kept.delete(kept.keys().next().value ?? "");
  kept.set(key, score);
  return score;
}

/** A result that would clear by the interval, and its chance. */
type Cleared = readonly [score: number, chance: number];

function scoreOfOne(
  { baseline: n1, candidate: n2 }: { readonly baseline: number; readonly candidate: number },
  { drop, alpha }: AllowedDrop,
): number {
  const bound = -normalQuantile(1 - alpha);
  return smallest(bound, 1 - drop, (share) => {
    const candidates = likely(n2, share + drop);
    return smallestOf(bound, alpha, likely(n1, share), ([x, chance], add) => {
      for (const [y, own] of candidates) {
        add([dropScore({ baseline: side(x, n1), candidate: side(y, n2) }, drop), chance * own]);
      }
    });
  });
}

/** Cases with a turn on each side; of those with several, differences spread less. */
function scoreOfPairs(cases: number, { drop, alpha }: AllowedDrop): number {
  const bound = -normalQuantile(1 - alpha);
  // Shares of cases that are better; those that are worse are more by the allowed drop.
  return smallest(bound, (1 - drop) / 2, (share) =>
    smallestOf(bound, alpha, likely(cases, share + drop), ([worse, chance], add) => {
      const rest = Math.min(1, share / (1 - share - drop));
      for (const [better, own] of likely(cases - worse, rest)) {
        const pairs = { cases, sum: worse - better, squares: worse + better };
        add([dropScoreOfPairs(pairs, drop), chance * own]);
      }
    }),
  );
}

/** Shares that are looked at; they lie closer together towards both ends. */
const grid = 32;

/** Smallest score over the shares from 0 to `end`. */
function smallest(bound: number, end: number, scoreAt: (share: number) => number): number {
  let score = bound;
  for (let at = 0; at <= grid; at += 1) {
    score = Math.min(score, scoreAt((end * (1 - Math.cos((Math.PI * at) / grid))) / 2));
  }
  return score;
}

/** Largest score that results reach with at most the chance `alpha`, at most `bound`. */
function smallestOf(
  bound: number,
  alpha: number,
  counts: readonly Count[],
  each: (count: Count, add: (result: Cleared) => void) => void,
): number {
  const clear: Cleared[] = [];
  let sum = 0;
  for (const count of counts) {
    each(count, (result) => {
      if (result[0] > bound) return;
      clear.push(result);
      sum += result[1];
    });
  }
  clear.sort(([a], [b]) => b - a);
  let score = bound;
  // The least clear ones are given up until the rest is rare enough.
  for (let at = 0; sum > alpha && at < clear.length; at += 1) {
    const [own, chance] = clear[at] ?? [bound, 0];
    sum -= chance;
    score = own - equal;
  }
  return score;
}

/** Scores that differ by less are equal. */
const equal = 1e-9;

type Count = readonly [count: number, chance: number];
/** Counts that are rarer than this change no level that is shown. */
const negligible = 1e-7;

function likely(n: number, share: number): readonly Count[] {
  const p = Math.min(1, share);
  const counts: Count[] = [];
  const middle = Math.min(n, Math.floor((n + 1) * p));
  for (let count = middle; count >= 0; count -= 1) {
    const chance = binomial(count, n, p);
    if (chance < negligible) break;
    counts.push([count, chance]);
  }
  for (let count = middle + 1; count <= n; count += 1) {
    const chance = binomial(count, n, p);
    if (chance < negligible) break;
    counts.push([count, chance]);
  }
  return counts;
}

function side(violated: number, of: number): TrialCount {
  return { holds: of - violated, violated, unknown: 0 };
}

function established(count: TrialCount | undefined): number {
  return count === undefined ? 0 : count.holds + count.violated;
}
