/**
 * @module CohortFigures: form of a comparison of two groups of turns, as answers and pages have it.
 * A value that is not known is null, and its turns are counted.
 */
import type { Identity } from "@turnproof/semconv";

/** What a figure counts. */
export type CohortUnit = "share" | "count" | "usd" | "ms";

/** One figure of one side. */
export interface CohortSide {
  /** Null: unknown. */
  readonly value: number | null;
  /**
   * Bounds of the 95 % interval; null where there is too little for one. Beside an unknown value:
   * what the value is at least and at most, null where that is not known either.
   */
  readonly low: number | null;
  readonly high: number | null;
  /** What the value is a part or a mean of: turns, calls or tokens. */
  readonly of: number;
  /** How many of these have what a share counts; null for another unit. */
  readonly hits: number | null;
  /** Turns or calls without a value. */
  readonly unknown: number;
}

/** A figure of both sides. */
export interface CohortRow {
  readonly name: string;
  readonly unit: CohortUnit;
  readonly a: CohortSide;
  readonly b: CohortSide;
  /** B minus A, with its 95 % interval. */
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** p-value of "no difference", corrected for every tested figure; null where not tested. */
  readonly p: number | null;
  readonly significant: boolean;
  /** Term of the filter bar for the turns that a share counts; null without one. */
  readonly term: string | null;
}

/** Figures about one matter. */
export interface CohortGroup {
  readonly name: string;
  readonly rows: readonly CohortRow[];
}

/** Two roots of one agent for a comparison of turns, and why these. */
export interface CohortPair extends Pick<Identity, "agent_id"> {
  readonly why: string;
  readonly baseline_root: string;
  readonly candidate_root: string;
}

/** Chance of one wrongly named difference among all tested figures. */
export const cohortLevel = 0.05;
