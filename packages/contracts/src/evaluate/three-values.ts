/**
 * @module ThreeValues: what is known of a statement. A count of which a part may be missing is a
 * range; a limit is decided only where the whole range is on one side of it.
 */

/** Result of a clause. `not_established`: the evidence decides neither way. */
export const outcomes = ["holds", "violated", "not_established"] as const;
export type Outcome = (typeof outcomes)[number];

/** A number between two bounds; `high` is Infinity where more may be missing. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** Limits of a number, both included. */
export interface NumberLimits {
  readonly at_least?: number | undefined;
  readonly at_most?: number | undefined;
}

/** Nothing is known. */
export const anyNumber: Range = { low: 0, high: Number.POSITIVE_INFINITY };

/** A known number. */
export function exactly(value: number): Range {
  return { low: value, high: value };
}

/** Violated where one is; else it holds where all do. */
export function allOf(results: Iterable<Outcome>): Outcome {
  let open = false;
  for (const result of results) {
    if (result === "violated") return "violated";
    if (result === "not_established") open = true;
  }
  return open ? "not_established" : "holds";
}

/** `then`, where the condition is met: a clause whose condition is not met holds. */
export function implies(condition: Outcome, then: Outcome): Outcome {
  if (condition === "violated") return "holds";
  if (condition === "holds" || then === "holds") return then;
  return "not_established";
}

/** Whether a number is within its limits. */
export function within(range: Range, limits: NumberLimits): Outcome {
  const { at_least: least = 0, at_most: most = Number.POSITIVE_INFINITY } = limits;
  if (range.high < least || range.low > most) return "violated";
  return range.low >= least && range.high <= most ? "holds" : "not_established";
}

/** A known answer, or not established for undefined. */
export function known(answer: boolean | undefined): Outcome {
  if (answer === undefined) return "not_established";
  return answer ? "holds" : "violated";
}
