/**
 * @module Power of the exact test, worked out from the sizes of both sides and the baseline's rate
 * alone, so that it can be stated before the answer is looked at.
 */
import { binomial, binomialAtLeast } from "./chance.ts";
import { exactRegression } from "./exact-test.ts";

/** What the power is worked out from. */
export type Design = {
  /** Turns with a result on each side; with `paired`, both are the number of cases. */
  readonly baseline: number;
  readonly candidate: number;
  /** Every case has one turn on each side. */
  readonly paired: boolean;
  /** Share of the baseline's turns that violate the contract, from 0 to 1. */
  readonly violated: number;
  /** Level of the one-sided test, after correction. */
  readonly alpha: number;
};

/** Outcomes rarer than this change no power that is shown. */
const negligible = 1e-9;
/** Steps of the search for the smallest drop: to a thousandth of a point. */
const steps = 17;

/**
 * Chance to find a drop of the share that holds.
 *
 * Paired: the two turns of a case are taken as independent. Where cases agree, which is the usual
 * state, the chance is higher.
 *
 * @param drop from 0 to 1
 */
export function powerOf(design: Design, drop: number): number {
  const [p1, p2] = [design.violated, Math.min(1, design.violated + drop)];
  return design.paired ? pairedPower(design, p1, p2) : unpairedPower(design, p1, p2);
}

/**
 * Smallest drop of the share that holds which is found with the given power.
 *
 * @returns drop from 0 to 1; undefined where even the loss of every turn would not be found
 */
export function smallestDrop(design: Design, power: number): number | undefined {
  const largest = 1 - design.violated;
  if (largest <= 0 || powerOf(design, largest) < power) return undefined;
  let [low, high] = [0, largest];
  for (let step = 0; step < steps; step += 1) {
    const middle = (low + high) / 2;
    if (powerOf(design, middle) >= power) high = middle;
    else low = middle;
  }
  return high;
}

function pairedPower({ baseline: cases, alpha }: Design, p1: number, p2: number): number {
  const [worse, better] = [(1 - p1) * p2, p1 * (1 - p2)];
  const differ = worse + better;
  if (differ === 0) return 0;
  let power = 0;
  for (let pairs = 0; pairs <= cases; pairs += 1) {
    const chance = binomial(pairs, cases, differ);
    if (chance < negligible) continue;
    const from = fewestWorse(pairs, alpha);
    if (from !== undefined) power += chance * binomialAtLeast(from, pairs, worse / differ);
  }
  return power;
}

/** Fewest changes for the worse among `pairs` changes that the test calls significant. */
function fewestWorse(pairs: number, alpha: number): number | undefined {
  let [sum, from] = [0, pairs + 1];
  while (from > 0) {
    sum += binomial(from - 1, pairs, 0.5);
    if (sum > alpha) break;
    from -= 1;
  }
  return from > pairs ? undefined : from;
}

function unpairedPower(design: Design, p1: number, p2: number): number {
  const critical = new Map<number, number>();
  const left = likely(design.baseline, p1);
  const right = likely(design.candidate, p2);
  let power = 0;
  for (const { count: x, chance: before } of left) {
    for (const { count: y, chance: after } of right) {
      const total = x + y;
      const from = critical.get(total) ?? fewestViolated(design, total);
      critical.set(total, from);
      if (y >= from) power += before * after;
    }
  }
  return power;
}

function likely(n: number, p: number): readonly { count: number; chance: number }[] {
  return Array.from({ length: n + 1 }, (_, count) => ({
    count,
    chance: binomial(count, n, p),
  })).filter(({ chance }) => chance >= negligible);
}

/** Fewest violations of the candidate among `total` that the test calls significant. */
function fewestViolated({ baseline, candidate, alpha }: Design, total: number): number {
  let [low, high] = [Math.max(0, total - baseline), Math.min(candidate, total) + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const p = exactRegression([sides(baseline, total - middle, candidate, middle)]);
    if (p <= alpha) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sides(
  n1: number,
  x: number,
  n2: number,
  y: number,
): Parameters<typeof exactRegression>[0][number] {
  return {
    baseline: { holds: n1 - x, violated: x, unknown: 0 },
    candidate: { holds: n2 - y, violated: y, unknown: 0 },
  };
}
