/**
 * @module RankSums: ranks of values, and how often each sum of them comes out by chance alone.
 * Equal values share the mean of their ranks; ranks are doubled, so that they are whole numbers.
 */

/** Ways, or chances, of each sum. */
export type RankSums = ReadonlyMap<number, number>;

/** Twice the rank of each value, and the sum of t^3 - t over groups of equal values. */
export function ranks(values: readonly number[]): { doubled: readonly number[]; ties: number } {
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

/** Sums of `size` of the ranks, over all ways to choose them. */
export function sumsOfChoices(doubled: readonly number[], size: number): RankSums {
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
  return ways[size] ?? new Map();
}

/** Sums of the ranks with a positive sign, over all ways to give each rank a sign. */
export function sumsOfSigns(doubled: readonly number[]): RankSums {
  let ways = new Map<number, number>([[0, 1]]);
  for (const rank of doubled) {
    const next = new Map<number, number>();
    for (const [sum, chance] of ways) {
      next.set(sum, (next.get(sum) ?? 0) + chance / 2);
      next.set(sum + rank, (next.get(sum + rank) ?? 0) + chance / 2);
    }
    ways = next;
  }
  return ways;
}

/** Share of the ways whose sum is at least `seen`. */
export function shareFrom(ways: RankSums, seen: number): number {
  let [all, extreme] = [0, 0];
  for (const [sum, count] of ways) {
    all += count;
    if (sum >= seen) extreme += count;
  }
  return all === 0 ? 1 : extreme / all;
}

/** Smallest sum that at most the share `alpha` of the ways reaches; infinite where none does. */
export function smallestSum(ways: RankSums, alpha: number): number {
  const all = [...ways.values()].reduce((sum, count) => sum + count, 0);
  let [extreme, smallest] = [0, Number.POSITIVE_INFINITY];
  for (const [sum, count] of [...ways].toSorted(([a], [b]) => b - a)) {
    extreme += count;
    if (extreme / all > alpha) break;
    smallest = sum;
  }
  return smallest;
}
