/**
 * @module TurnStatistics: where the time of a turn was spent, by operation, kind, tool, model or
 * service. Unknown durations are counted as unknown, and a sum with one states in which direction
 * it may be wrong.
 */
import { nearestRank } from "@turnproof/semconv";
import { valuesOf } from "./row-find.ts";
import type { EventsOf } from "./row-find.ts";
import type { WaterfallModel, WaterfallRow } from "./waterfall-rows.ts";

/** Groupings of rows: a key of the find box, and its name. */
export const dimensions = [
  ["op", "Operation"],
  ["kind", "Kind"],
  ["tool", "Tool"],
  ["model", "Model"],
  ["service", "Service"],
  ["release", "Release"],
  ["producer", "Producer"],
] as const;
export type Dimension = (typeof dimensions)[number][0];

/** How a sum relates to the true value when some of its parts are unknown. */
export type Bound = "exact" | "at_least" | "at_most" | "about";

/** A sum of times in milliseconds. */
export interface TimeSum {
  readonly ms: number;
  readonly bound: Bound;
}

/** One line of the table; times are milliseconds, null where no duration is known. */
export interface StatisticsLine {
  /** Undefined for the rows without a value. */
  readonly value: string | undefined;
  readonly count: number;
  /** Rows of unknown duration, and rows that are points in time and have none. */
  readonly unknown: number;
  readonly points: number;
  readonly errors: number;
  readonly total: TimeSum | null;
  /** The part of the total without an active child. */
  readonly self: TimeSum | null;
  readonly mean: number | null;
  readonly p95: number | null;
  readonly max: number | null;
  /** Share of the turn's time with at least one of them active; null where unknown. */
  readonly share: number | null;
}

/** Column by which lines are sorted. */
export type StatisticsColumn = Exclude<keyof StatisticsLine, "points">;

type StepStretch = readonly [fromMs: number, toMs: number];

interface Draft {
  count: number;
  unknown: number;
  points: number;
  errors: number;
  childUnknown: boolean;
  selfMs: number;
  readonly durations: number[];
  readonly stretches: StepStretch[];
}

/** The lines of a turn, in order of first occurrence. */
export function turnStatistics(
  { rows, extentMs }: WaterfallModel,
  eventsOf: EventsOf,
  by: Dimension,
): readonly StatisticsLine[] {
  const below = childrenOf(rows);
  const drafts = new Map<string | undefined, Draft>();
  rows.forEach((row, index) => {
    const { node } = row;
    if (node === undefined) return;
    const [first] = valuesOf(row, eventsOf, by);
    const value = typeof first === "string" ? first : undefined;
    const draft = drafts.get(value) ?? newDraft();
    drafts.set(value, draft);
    draft.count += 1;
    if (node.status === "error") draft.errors += 1;
    if (node.timing === "instantaneous") draft.points += 1;
    else if (node.duration_ms === null) draft.unknown += 1;
    else add(draft, row, below[index] ?? [], node.duration_ms);
  });
  return [...drafts].map(([value, draft]) => lineOf(value, draft, extentMs));
}

function newDraft(): Draft {
  return {
    count: 0,
    unknown: 0,
    points: 0,
    errors: 0,
    childUnknown: false,
    selfMs: 0,
    durations: [],
    stretches: [],
  };
}

/** The rows below each row, without those of unrecorded parents. */
function childrenOf(rows: readonly WaterfallRow[]): readonly (WaterfallRow[] | undefined)[] {
  const below: (WaterfallRow[] | undefined)[] = Array.from({ length: rows.length });
  for (const row of rows) {
    if (row.parent === -1 || row.node === undefined) continue;
    const others = below[row.parent];
    if (others === undefined) below[row.parent] = [row];
    else others.push(row);
  }
  return below;
}

function add(
  draft: Draft,
  { startMs, endMs }: WaterfallRow,
  children: readonly WaterfallRow[],
  durationMs: number,
): void {
  draft.durations.push(durationMs);
  // Without start and end the time of its children is unknown.
  if (startMs === null || endMs === null) {
    draft.childUnknown ||= children.length > 0;
    draft.selfMs += durationMs;
    return;
  }
  draft.stretches.push([startMs, endMs]);
  const inside: StepStretch[] = [];
  for (const { node, startMs: from, endMs: to } of children) {
    if (node?.timing === "instantaneous") continue;
    // A child without an end, or with another clock, may cover more than recorded.
    if (from === null || to === null || node?.clock_skewed === true) draft.childUnknown = true;
    if (from === null || to === null) continue;
    const stretch = [Math.max(from, startMs), Math.min(to, endMs)] as const;
    if (stretch[1] > stretch[0]) inside.push(stretch);
  }
  draft.selfMs += Math.max(0, durationMs - covered(inside));
}

/** Total length of time intervals, each instant once. */
function covered(stretches: readonly StepStretch[]): number {
  let sum = 0;
  let reached = -Infinity;
  for (const [from, to] of stretches.toSorted((a, b) => a[0] - b[0])) {
    if (to <= reached) continue;
    sum += to - Math.max(from, reached);
    reached = to;
  }
  return sum;
}

function lineOf(value: string | undefined, draft: Draft, extentMs: number): StatisticsLine {
  const { count, unknown, points, errors, durations, stretches, childUnknown, selfMs } = draft;
  const totalMs = durations.reduce((sum, ms) => sum + ms, 0);
  const known = durations.length > 0;
  const more = unknown > 0;
  return {
    value,
    count,
    unknown,
    points,
    errors,
    total: known ? { ms: totalMs, bound: more ? "at_least" : "exact" } : null,
    self: known ? { ms: selfMs, bound: boundOf(more, childUnknown) } : null,
    mean: known ? totalMs / durations.length : null,
    p95: nearestRank(durations, 0.95),
    max: nearestRank(durations, 1),
    share: known && extentMs > 0 ? covered(stretches) / extentMs : null,
  };
}

function boundOf(more: boolean, less: boolean): Bound {
  if (more) return less ? "about" : "at_least";
  return less ? "at_most" : "exact";
}

/** Lines by a column; those without a value, and unknown ones, come last in either direction. */
export function sortLines(
  lines: readonly StatisticsLine[],
  column: StatisticsColumn,
  descending: boolean,
): readonly StatisticsLine[] {
  const key = (line: StatisticsLine): string | number | null => {
    const cell = line[column];
    if (cell === undefined || cell === null) return null;
    return typeof cell === "object" ? cell.ms : cell;
  };
  return lines.toSorted((a, b) => {
    const [left, right] = [key(a), key(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order = left < right ? -1 : left > right ? 1 : 0;
    return descending ? -order : order;
  });
}
