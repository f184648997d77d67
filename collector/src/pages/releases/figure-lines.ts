/** @module FigureLines: the compared figures as lines of a file, both sides of a figure in one. */
import type { Cohorts } from "../../turns/cohorts.ts";
import type { ListFields } from "../../tables/list-files.ts";
import type { CohortRow, CohortSide } from "../../ui/display/cohort-figures.ts";

/** One figure; a field of a side has the side before its name. */
export interface FigureLine
  extends
    Omit<CohortRow, "a" | "b">,
    Readonly<Record<`${"a" | "b"}_${keyof CohortSide}`, number | null>> {
  /** What the figure is about. */
  readonly group: string;
  /**
   * Agents with turns on both sides, and on one side only: different agents differ by that alone.
   */
  readonly agents_of_both: number;
  readonly agents_of_one: number;
}

/** Fields of a line. */
export const figureFields: ListFields<FigureLine> = {
  group: "text",
  agents_of_both: "integer",
  agents_of_one: "integer",
  name: "text",
  unit: "text",
  a_value: "number",
  a_low: "number",
  a_high: "number",
  a_of: "integer",
  a_hits: "integer",
  a_unknown: "integer",
  b_value: "number",
  b_low: "number",
  b_high: "number",
  b_of: "integer",
  b_hits: "integer",
  b_unknown: "integer",
  difference: "number",
  low: "number",
  high: "number",
  p: "number",
  significant: "flag",
  term: "text",
};

/** What the lines are made of. */
type LinedCohorts = Pick<Cohorts, "groups" | "agents">;

/** The figures of all groups, in the order of the page. */
export function figureLines({ groups, agents }: LinedCohorts): readonly FigureLine[] {
  const agents_of_both = agents.filter(({ a, b }) => a > 0 && b > 0).length;
  const agents_of_one = agents.length - agents_of_both;
  return groups.flatMap(({ name: group, rows }) =>
    rows.map(({ a, b, ...row }) => ({
      group,
      agents_of_both,
      agents_of_one,
      ...row,
      a_value: a.value,
      a_low: a.low,
      a_high: a.high,
      a_of: a.of,
      a_hits: a.hits,
      a_unknown: a.unknown,
      b_value: b.value,
      b_low: b.low,
      b_high: b.high,
      b_of: b.of,
      b_hits: b.hits,
      b_unknown: b.unknown,
    })),
  );
}
