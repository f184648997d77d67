/** @module Chance: exact probabilities of the binomial and the hypergeometric distribution. */
import jstat from "jstat";

const { jStat } = jstat;

/** Natural logarithm of n choose k. */
function logChoose(n: number, k: number): number {
  return jStat.gammaln(n + 1) - jStat.gammaln(k + 1) - jStat.gammaln(n - k + 1);
}

/** Probability of exactly `k` hits in `n` independent trials of probability `p`. */
export function binomial(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** Probability of at least `k` hits in `n` independent trials of probability `p`. */
export function binomialAtLeast(k: number, n: number, p: number): number {
  let sum = 0;
  for (let hits = Math.max(0, k); hits <= n; hits += 1) sum += binomial(hits, n, p);
  return Math.min(1, sum);
}

/**
 * Distribution of the hits among `drawn` of `total` things of which `marked` are hits.
 *
 * @returns probability of `low + i` hits at index i
 */
export function hypergeometric(
  total: number,
  marked: number,
  drawn: number,
): { readonly low: number; readonly chances: readonly number[] } {
  const low = Math.max(0, marked + drawn - total);
  const high = Math.min(marked, drawn);
  const all = logChoose(total, drawn);
  const chances: number[] = [];
  for (let hits = low; hits <= high; hits += 1) {
    chances.push(Math.exp(logChoose(marked, hits) + logChoose(total - marked, drawn - hits) - all));
  }
  return { low, chances };
}

/** Value below which a standard normal variable lies with probability `p`. */
export function normalQuantile(p: number): number {
  return jStat.normal.inv(p, 0, 1);
}

/** Probability that a standard normal variable is at least `z`. */
export function normalAtLeast(z: number): number {
  return 1 - jStat.normal.cdf(z, 0, 1);
}

/** Value below which a beta variable lies with probability `p`. */
export function betaQuantile(p: number, alpha: number, beta: number): number {
  return jStat.beta.inv(p, alpha, beta);
}
