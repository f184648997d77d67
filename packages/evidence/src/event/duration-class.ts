/** @module DurationClass: durations by order of magnitude, for histograms. */

/** Classes in one order of magnitude. */
export const durationClasses = 8;

/** Shorter durations are in the same class. */
const leastMs = 0.1;

/**
 * The class of a duration in milliseconds: class `n` begins at 10^(n/8) ms. Rounding never puts a
 * bound itself into the class below.
 */
export function durationClass(ms: number): number {
  return Math.floor(Math.log10(Math.max(ms, leastMs)) * durationClasses + 1e-9);
}
