/**
 * @module Rank tests: whether values grew, whatever their distribution. Equal values share the mean
 * of their ranks. Small samples are counted exactly; larger ones use the normal approximation with
 * its correction for ties.
 */
import { normalAtLeast } from "./chance.ts";

/** Most values of both sides that are counted exactly. */
const exactValues = 40;
/** Most pairs that are counted exactly. */
const exactPairs = 100;

/**
 * Mann and Whitney's test.
 *
 * @returns p-value of "the candidate's values are not larger"; 1 where a side is empty
 */
export function growth(baseline: readonly number[], candidate: readonly number[]): number {
  const [n1, n2] = [baseline.length, candidate.length];
  if (n1 === 0 || n2 === 0) return 1;
  const { doubled, ties } = ranks([...candidate, ...baseline]);
  const seen = doubled.slice(0, n2).reduce((sum, rank) => sum + rank, 0);
  const n = n1 + n2;
  if (n <= exactValues) return choices(doubled, n2, seen);
  const variance = (n1 * n2 * (n + 1 - ties / (n * (n - 1)))) / 12;
  if (variance <= 0) return 1;
  return normalAtLeast((seen / 2 - (n2 * (n + 1)) / 2 - 0.5) / Math.sqrt(variance));
}

/**
 * Wilcoxon's signed-rank test. Differences of zero are left out.
 *
 * @param differences candidate minus baseline of each case
 * @returns p-value of "the candidate's values are not larger"; 1 where no case differs
 */
export function pairedGrowth(differences: readonly number[]): number {
  const some = differences.filter((one) => one !== 0);
  const n = some.length;
  if (n === 0) return 1;
  const { doubled, ties } = ranks(some.map((one) => Math.abs(one)));
  const seen = doubled.reduce((sum, rank, at) => sum + ((some[at] ?? 0) > 0 ? rank : 0), 0);
  if (n <= exactPairs) return signs(doubled, seen);
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - ties / 48;
  return normalAtLeast((seen / 2 - (n * (n + 1)) / 4 - 0.5) / Math.sqrt(variance));
}

/** Twice the rank of each value, and the sum of t^3 - t over groups of equal values. */
function ranks(values: readonly number[]): { doubled: readonly number[]; ties: number } {
  const order = values
    .map((value, at) => ({ value, at }))
    .toSorted((a, b) => a.value - b.value || 0);
  const doubled = Array.from({ length: values.length }, () => 0);
  let ties = 0;
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && order[to]?.value === order[from]?.value) to += 1;
    for (const { at } of order.slice(from, to)) doubled[at] = from + 1 + to;
    const equal = to - from;
    ties += equal ** 3 - equal;
    from = to;
  }
  return { doubled, ties };
}

/** Share of the ways to choose `size` of the ranks whose sum is at least `seen`. */
function choices(doubled: readonly number[], size: number, seen: number): number {
  const ways: Map<number, number>[] = Array.from({ length: size + 1 }, () => new Map());
  ways[0]?.set(0, 1);
  for (const rank of doubled) {
    for (let taken = size; taken > 0; taken -= 1) {
      for (const [sum, count] of ways[taken - 1] ?? []) {
        const next = ways[taken];
        next?.set(sum + rank, (next.get(sum + rank) ?? 0) + count);
      }
    }
  }
  return share(ways[size] ?? new Map(), seen);
}

/** Share of the ways to give each rank a sign whose positive sum is at least `seen`. */
function signs(doubled: readonly number[], seen: number): number {
  let ways = new Map<number, number>([[0, 1]]);
  for (const rank of doubled) {
    const next = new Map<number, number>();
    for (const [sum, chance] of ways) {
      next.set(sum, (next.get(sum) ?? 0) + chance / 2);
      next.set(sum + rank, (next.get(sum + rank) ?? 0) + chance / 2);
    }
    ways = next;
  }
  return share(ways, seen);
}

function share(ways: ReadonlyMap<number, number>, seen: number): number {
  let [all, extreme] = [0, 0];
  for (const [sum, count] of ways) {
    all += count;
    if (sum >= seen) extreme += count;
  }
  return all === 0 ? 1 : extreme / all;
}
