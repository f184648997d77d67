/**
 * @module FindingText: the words of one finding, its priority, and what that does to a verdict.
 */

/** 0 blocks and needs a person, 1 blocks, 2 is a note. */
export type Priority = 0 | 1 | 2;

/** What a finding does to a verdict: a blocking one keeps it from success, a note does not. */
export type FindingEffect = "blocking" | "note";

/** The effect of a priority; every finding of one code and variant has the same. */
export function effectOf(priority: Priority): FindingEffect {
  return priority === 2 ? "note" : "blocking";
}

/** The words of one finding. */
export interface FindingText {
  readonly priority: Priority;
  readonly title: string;
  readonly finding: string;
  readonly recommendation: string;
}

/** The words of a finding in the order in which they are read. */
export function text(
  priority: Priority,
  title: string,
  finding: string,
  recommendation: string,
): FindingText {
  return { priority, title, finding, recommendation };
}
