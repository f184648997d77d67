/**
 * @module PowerPaired: chance that the gate finds a drop over cases with one turn on each side. The
 * test counts the cases that changed: for the worse against for the better. A case that lacks a
 * result counts for the better where it may have changed so, as the gate reads it.
 */
import { binomialAtLeast } from "./chance.ts";
import { clearingScore } from "./clearance.ts";
import type { Design, Finder } from "./design.ts";
import { dropScoreOfPairs } from "./intervals.ts";
import { likely } from "./likely.ts";

/** The chance for any two shares; what the test calls a regression is worked out once. */
export function pairedFinder(design: Design): Finder {
  const { baseline: cases } = design;
  const bounds = new Map<number, Bounds>();
  return (p1, p2) => {
    const [worse, better] = [(1 - p1) * p2, p1 * (1 - p2)];
    const open = mayBeBetter(design, p1, p2);
    let power = 0;
    for (const { count, chance } of likely(cases, worse)) {
      const most = bounds.get(count) ?? mostBetter(design, count);
      bounds.set(count, most);
      power += chance * chanceWithin(most, cases - count, better / (1 - worse), open);
    }
    return power;
  };
}

/** Most changes for the better beside which the changes for the worse are a regression. */
interface Bounds {
  /** Cases that may have changed so included; -1 for none. */
  readonly tested: number;
  /** With a result on both sides: with more of them the drop is within what is allowed. */
  readonly established: number;
}

function mostBetter({ alpha, allowed, baseline: cases }: Design, worse: number): Bounds {
  const significant = (better: number): boolean =>
    worse > 0 && binomialAtLeast(worse, worse + better, 0.5) <= alpha;
  const beyond = (better: number): boolean => {
    if (allowed === undefined) return true;
    const pairs = { cases, sum: worse - better, squares: worse + better };
    return dropScoreOfPairs(pairs, allowed.drop) > clearingScore({ cases }, allowed);
  };
  return {
    // More cases for the better than for the worse are never significant.
    tested: largest(worse, significant),
    established: largest(cases - worse, beyond),
  };
}

/** Largest number up to `most` of which a statement is true that is true of all below; -1: none. */
function largest(most: number, isTrue: (value: number) => boolean): number {
  let [low, high] = [-1, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isTrue(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Chance of at most so many changes for the better, of `n` cases, and of those that lack a result.
 */
function chanceWithin(
  { tested, established }: Bounds,
  n: number,
  p: number,
  open: readonly number[],
): number {
  let chance = 0;
  for (const [more, some] of open.entries()) {
    const most = Math.min(tested - more, established);
    if (most < 0) break;
    if (some > 0) chance += some * (1 - binomialAtLeast(most + 1, n, p));
  }
  return chance;
}

/** Chance of each number of cases that lack a result and count for the better. */
function mayBeBetter(
  { unknown, unknownBoth = 0 }: Design,
  p1: number,
  p2: number,
): readonly number[] {
  // The baseline without a result is read as violated, the candidate without one as holding.
  const left = likely(unknown?.baseline ?? 0, 1 - p2);
  const right = likely(unknown?.candidate ?? 0, p1);
  const most = (left.at(-1)?.count ?? 0) + (right.at(-1)?.count ?? 0) + unknownBoth;
  const chances = Array.from({ length: most + 1 }, () => 0);
  for (const a of left) {
    for (const b of right) {
      const at = a.count + b.count + unknownBoth;
      chances[at] = (chances[at] ?? 0) + a.chance * b.chance;
    }
  }
  return chances;
}
