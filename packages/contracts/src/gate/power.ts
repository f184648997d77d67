/**
 * @module Power of a comparison: the chance that the gate finds a drop, worked out from the sizes
 * of both sides and the baseline's rate alone, so that it can be stated before the answer. It is
 * the chance of the outcome itself: turns without a result weigh against it as the gate weighs
 * them, and a drop that is within what is allowed is not found.
 */
import type { Design } from "./design.ts";
import { pairedFinder } from "./power-paired.ts";
import { unpairedFinder } from "./power-unpaired.ts";

/** Steps of the search for the smallest drop: to a thousandth of a point. */
const steps = 17;

function finderOf(design: Design): (drop: number) => number {
  const find = design.paired ? pairedFinder(design) : unpairedFinder(design);
  return (drop) => find(design.violated, Math.min(1, design.violated + drop));
}

/**
 * Chance to find a drop of the share that holds.
 *
 * Paired: the two turns of a case are taken as independent. Where cases agree, which is the usual
 * state, the chance is higher.
 *
 * @param drop from 0 to 1
 */
export function powerOf(design: Design, drop: number): number {
  return finderOf(design)(drop);
}

/**
 * Smallest drop of the share of turns that satisfy a contract that the given power detects.
 *
 * @returns drop from 0 to 1; undefined where even the loss of every turn would not be found
 */
export function smallestDrop(design: Design, power: number): number | undefined {
  const found = finderOf(design);
  const largest = 1 - design.violated;
  if (largest <= 0 || found(largest) < power) return undefined;
  let [low, high] = [0, largest];
  for (let step = 0; step < steps; step += 1) {
    const middle = (low + high) / 2;
    if (found(middle) >= power) high = middle;
    else low = middle;
  }
  return high;
}
