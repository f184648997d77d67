/**
 * @module PreviewWindows: the windows of one group as a living rule passes over them: a new one
 * each step, and an alert that lasts from one to the next until its condition has ended.
 */
import type { AlertRule } from "../config/alert-rules.ts";
import type { CostBounds } from "./alert-state.ts";
import { breaks, countsTurns } from "./breach.ts";
import { addBounds, boundOf } from "./measure-cost.ts";

/** A part of the past, one step long; a window is some of them in a row. */
export interface PreviewPart {
  readonly value: number | null;
  readonly count: number;
  /** Only of `cost_usd`. */
  readonly cost?: CostBounds;
}

/** The window of a group at which an alert would have begun. */
export interface PreviewWindow {
  readonly group: string | null;
  readonly from_ms: number;
  readonly value: number;
  /** Turns behind it; calls of a cost, lost events, and of a silence turns of the day before. */
  readonly count: number;
  /** Only of `cost_usd`. */
  readonly cost?: CostBounds;
}

/** How the past is divided, in whole steps since the epoch. */
export interface PreviewSteps {
  /** Steps of one window. */
  readonly perWindow: number;
  /** Ends of the first and the last window that end with a step. */
  readonly firstEnd: number;
  readonly lastEnd: number;
  /** End of the newest window, in steps: mostly between two of them. */
  readonly newest: number;
  /** How far back a rule of change compares. */
  readonly weekAgo: number;
}

/** One window of a group. */
export interface PassedWindow {
  /** Step at which it ends. */
  readonly end: number;
  readonly value: number;
  readonly count: number;
  /** Only of `cost_usd`. */
  readonly cost?: CostBounds;
}

/** What a rule would have done about one group. */
export interface PassedWindows {
  readonly established: number;
  readonly broken: number;
  /** The window at which each alert begins, the oldest first. */
  readonly alerts: readonly PassedWindow[];
}

/** What one group has: parts by the step at which each begins, and whole windows by their ends. */
export interface GroupPast {
  readonly parts: ReadonlyMap<number, PreviewPart>;
  readonly whole: ReadonlyMap<number, PreviewPart>;
}

/** Passes a rule over the past of one group. */
export function passWindows(
  rule: AlertRule,
  { parts, whole }: GroupPast,
  steps: PreviewSteps,
): PassedWindows {
  const { perWindow, firstEnd, lastEnd, newest } = steps;
  const ends = endsOf(parts, perWindow).filter((end) => end >= firstEnd && end <= lastEnd);
  const at = (end: number): PreviewPart =>
    Number.isInteger(end)
      ? windowOf(rule, parts, end, perWindow)
      : (whole.get(end) ?? { value: null, count: 0 });
  return passEnds(rule, newest === lastEnd ? ends : [...ends, newest], at, steps);
}

/** Passes a rule over windows by their ends, ascending. */
export function passEnds(
  rule: AlertRule,
  ends: Iterable<number>,
  at: (end: number) => PreviewPart,
  { perWindow, weekAgo }: Pick<PreviewSteps, "perWindow" | "weekAgo">,
): PassedWindows {
  const alerts: PassedWindow[] = [];
  let established = 0;
  let broken = 0;
  /** End of the last window that broke the rule, while its alert lasts. */
  let lasts: number | undefined;
  for (const end of ends) {
    const { value, count, cost } = at(end);
    const before = rule.change === undefined ? null : at(end - weekAgo).value;
    const breaksIt = count === 0 && countsNone(rule) ? false : breaks(rule, value, before);
    if (isCounted(rule, count) && breaksIt !== null) established += 1;
    // Without evidence for a whole window it is no alarm any more.
    if (lasts !== undefined && (breaksIt === false || end - lasts > perWindow)) lasts = undefined;
    if (breaksIt !== true || value === null) continue;
    broken += 1;
    if (lasts === undefined) {
      alerts.push({ end, value, count, ...(cost === undefined ? {} : { cost }) });
    }
    lasts = end;
  }
  return { established, broken, alerts };
}

/** True for a window that has a result: losses have one without any turn. */
const isCounted = ({ measure }: AlertRule, count: number): boolean =>
  count > 0 || measure === "lost_events";

/** Ends of windows that have a turn, and of the first one after them that has none; ascending. */
function endsOf(parts: ReadonlyMap<number, PreviewPart>, perWindow: number): readonly number[] {
  const ends: number[] = [];
  for (const from of [...parts.keys()].toSorted((a, b) => a - b)) {
    const next = Math.max(from + 1, (ends.at(-1) ?? from) + 1);
    for (let end = next; end <= from + perWindow + 1; end += 1) ends.push(end);
  }
  return ends;
}

/** The value of a window; null where its turns are too few. */
function windowOf(
  rule: AlertRule,
  parts: ReadonlyMap<number, PreviewPart>,
  end: number,
  perWindow: number,
): PreviewPart {
  let count = 0;
  let sum = 0;
  let cost: CostBounds | undefined;
  for (let from = end - perWindow; from < end; from += 1) {
    const part = parts.get(from);
    if (part === undefined) continue;
    count += part.count;
    if (part.cost !== undefined) cost = addBounds(cost, part.cost);
    // A share is of a whole number of turns.
    sum += isShare(rule) ? Math.round((part.value ?? 0) * part.count) : (part.value ?? 0);
  }
  const costs = cost === undefined ? {} : { cost };
  if (count < rule.min_count) return { value: null, count, ...costs };
  // A call without a price is no cost of zero.
  if (cost !== undefined) return { value: boundOf(rule, cost), count, cost };
  if (rule.measure === "cost_usd") return { value: null, count };
  return { value: isShare(rule) ? sum / count : sum, count };
}

/** True where a window without any turn is a result. */
const countsNone = (rule: AlertRule): boolean => countsTurns(rule) && rule.min_count === 1;

const isShare = ({ measure }: AlertRule): boolean => measure.endsWith("_share");

/** True where the value of a window follows from those of its parts. */
export const addsUp = (rule: AlertRule): boolean => rule.measure !== "p95_ms";
