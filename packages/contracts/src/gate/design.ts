/** @module Design: sizes and rates of a comparison, from which its power is worked out. */

/** What the power is worked out from. */
export interface Design {
  /** Turns with a result on each side; with `paired`, the cases that have one on both. */
  readonly baseline: number;
  readonly candidate: number;
  /** Every case has one turn on each side. */
  readonly paired: boolean;
  /** Turns without a result; with `paired`, cases in which only that side has none. */
  readonly unknown?: { readonly baseline: number; readonly candidate: number };
  /** Cases in which neither side has a result. */
  readonly unknownBoth?: number;
  /** Share of the baseline's turns that violate the contract, from 0 to 1. */
  readonly violated: number;
  /** Level of the one-sided test, after correction. */
  readonly alpha: number;
  /** A comparison that shows no drop beyond `drop` at level `alpha` is no regression. */
  readonly allowed?: { readonly drop: number; readonly alpha: number };
}

/** Chance to find a regression where the sides violate with shares `p1` and `p2`. */
export type Finder = (p1: number, p2: number) => number;
