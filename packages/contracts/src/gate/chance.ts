/**
 * @module Chance: exact probabilities of the binomial and the hypergeometric distribution, and
 * those of the normal one to the precision of a number.
 */

const logFactorials: number[] = [0];

/** Natural logarithm of n!. */
function logFactorial(n: number): number {
  for (let at = logFactorials.length; at <= n; at += 1) {
    logFactorials.push((logFactorials[at - 1] ?? 0) + Math.log(at));
  }
  return logFactorials[n] ?? 0;
}

/** Natural logarithm of n choose k. */
function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
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

/** Steps of a bisection: to the precision of a number between 0 and 1. */
const steps = 60;

/** Where a function that does not fall reaches a value, between two bounds. */
function reach(rises: (x: number) => number, value: number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let step = 0; step < steps; step += 1) {
    const middle = (low + high) / 2;
    if (rises(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Share for which at least `k` hits in `n` trials have the probability `p`. */
export function shareAtLeast(k: number, n: number, p: number): number {
  return reach((share) => binomialAtLeast(k, n, share), p, 0, 1);
}

/** No variable of this program lies further out. */
const farthest = 40;

/** Value below which a standard normal variable lies with probability `p`. */
export function normalQuantile(p: number): number {
  return reach((z) => 1 - normalAtLeast(z), p, -farthest, farthest);
}

/** Probability that a standard normal variable is at least `z`. */
export function normalAtLeast(z: number): number {
  if (z < 0) return 1 - normalAtLeast(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 6) {
    // The continued fraction of the tail.
    let below = z;
    for (let term = 60; term > 0; term -= 1) below = z + term / below;
    return density / below;
  }
  let [sum, term] = [z, z];
  for (let odd = 3; term > 1e-17 * sum; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 - density * sum;
}
