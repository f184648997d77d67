/** @module FindingText: the text of a finding, its priority, and its effect on a verdict. */

/** 0 blocks and requires manual action, 1 blocks, 2 is a note. */
export type Priority = 0 | 1 | 2;

/** Effect of a finding on a verdict: a blocking one prevents success, a note does not. */
export type FindingEffect = "blocking" | "note";

/** The effect of a priority; all findings of one code and variant have the same. */
export function effectOf(priority: Priority): FindingEffect {
  return priority === 2 ? "note" : "blocking";
}

/** The text of one finding. */
export interface FindingText {
  readonly priority: Priority;
  readonly title: string;
  readonly finding: string;
  readonly recommendation: string;
}

/** The parts of a finding's text in reading order. */
export function text(
  priority: Priority,
  title: string,
  finding: string,
  recommendation: string,
): FindingText {
  return { priority, title, finding, recommendation };
}
