/** @module Likely: the counts of a binomial distribution that change no chance that is shown. */
import { binomial } from "./chance.ts";

/** Counts that are rarer than this are left out. */
const negligible = 1e-9;

/** A count and its chance. */
export interface LikelyCount {
  readonly count: number;
  readonly chance: number;
}

/** The counts among `n` trials of probability `p` that are not negligible, rising. */
export function likely(n: number, p: number): readonly LikelyCount[] {
  const counts: LikelyCount[] = [];
  const middle = Math.min(n, Math.floor((n + 1) * p));
  for (let count = middle; count >= 0; count -= 1) {
    const chance = binomial(count, n, p);
    if (chance < negligible) break;
    counts.push({ count, chance });
  }
  counts.reverse();
  for (let count = middle + 1; count <= n; count += 1) {
    const chance = binomial(count, n, p);
    if (chance < negligible) break;
    counts.push({ count, chance });
  }
  return counts;
}
