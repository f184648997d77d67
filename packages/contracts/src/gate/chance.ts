/**
 * @module Chance: exact probabilities of the binomial and the hypergeometric distribution, and
 * those of the normal one to the precision of a number.
 */

const logFactorials: number[] = [0];
/** Numbers below this have their logarithm in a table. */
const tabled = 4_096;

/**
 * Natural logarithm of n!; above the table by Stirling's series, whose next term is below 1e-25.
 */
function logFactorial(n: number): number {
  if (n >= tabled) {
    const series = 1 / (12 * n) - 1 / (360 * n ** 3) + 1 / (1_260 * n ** 5);
    return n * Math.log(n) - n + 0.5 * Math.log(2 * Math.PI * n) + series;
  }
  for (let at = logFactorials.length; at <= n; at += 1) {
    logFactorials.push((logFactorials[at - 1] ?? 0) + Math.log(at));
  }
  return logFactorials[n] ?? 0;
}

/** Natural logarithm of n choose k. */
export function logChoose(n: number, k: number): number {
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** Probability of exactly `k` hits in `n` independent trials of probability `p`. */
export function binomial(k: number, n: number, p: number): number {
  if (k < 0 || k > n) return 0;
  if (p <= 0) return k === 0 ? 1 : 0;
  if (p >= 1) return k === n ? 1 : 0;
  return Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/**
 * Probability of at least `k` hits in `n` independent trials of probability `p`. Sums the side that
 * does not have the mean.
 */
export function binomialAtLeast(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  const odds = p / (1 - p);
  const growth = (at: number): number => ((n - at) / (at + 1)) * odds;
  const above = k > n * p;
  let at = above ? k : k - 1;
  let term = binomial(at, n, p);
  let sum = term;
  while (term > sum * 1e-18 && (above ? at < n : at > 0)) {
    term = above ? term * growth(at) : term / growth(at - 1);
    at += above ? 1 : -1;
    sum += term;
  }
  return Math.min(1, Math.max(0, above ? sum : 1 - sum));
}

/**
 * Probability of at least `hits` among `drawn` of `total` things of which `marked` are hits. Sums
 * the side that does not have the mean, in steps of a number of standard deviations, so that
 * millions of things cost no more than thousands.
 */
export function hypergeometricAtLeast(
  hits: number,
  { total, marked, drawn }: { total: number; marked: number; drawn: number },
): number {
  const low = Math.max(0, marked + drawn - total);
  const high = Math.min(marked, drawn);
  if (hits <= low) return 1;
  if (hits > high) return 0;
  const chance = (at: number): number =>
    Math.exp(
      logChoose(marked, at) + logChoose(total - marked, drawn - at) - logChoose(total, drawn),
    );
  /** The chance of one hit more, divided by that of `at` hits. */
  const growth = (at: number): number =>
    ((marked - at) * (drawn - at)) / ((at + 1) * (total - marked - drawn + at + 1));
  const above = hits > (marked * drawn) / total;
  let [at, term] = above ? [hits, chance(hits)] : [hits - 1, chance(hits - 1)];
  let sum = term;
  while (term > sum * 1e-18 && (above ? at < high : at > low)) {
    term = above ? term * growth(at) : term / growth(at - 1);
    at += above ? 1 : -1;
    sum += term;
  }
  return Math.min(1, Math.max(0, above ? sum : 1 - sum));
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

/** Probability that a variable of Student's distribution is at least `t`. @param degrees whole */
export function studentAtLeast(t: number, degrees: number): number {
  if (t < 0) return 1 - studentAtLeast(-t, degrees);
  const angle = Math.atan2(t, Math.sqrt(degrees));
  const square = Math.cos(angle) ** 2;
  const odd = degrees % 2 === 1;
  let [sum, term] = [0, odd ? Math.cos(angle) : 1];
  for (let at = odd ? 1 : 0; at <= degrees - 2; at += 2) {
    sum += term;
    term *= (square * (at + 1)) / (at + 2);
  }
  const within = odd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  return Math.min(1, Math.max(0, (1 - within) / 2));
}

/** Value below which a variable of Student's distribution lies with probability `p`. */
export function studentQuantile(p: number, degrees: number): number {
  return reach((t) => 1 - studentAtLeast(t, degrees), p, -1e6, 1e6);
}
