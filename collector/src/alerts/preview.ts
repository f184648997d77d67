/**
 * @module Preview: when a rule would have fired on what is stored, with the functions that evaluate
 * it. Windows slide in steps, as those of a living rule do; a percentile does not follow from those
 * of parts, so its windows stand side by side. Turns count by their own time, reports of losses and
 * silences by their receipts, and the judge's lag by recorded minutes.
 */
import { isoTime } from "@turnproof/semconv";

import type { AlertRule } from "../config/alert-rules.ts";
import type { Parts } from "../parts.ts";
import { receiptMs } from "../judge/losses.ts";
import { isUnproven, turnValues } from "./measure.ts";
import type { TurnValue } from "./measure.ts";
import { costValues } from "./measure-cost.ts";
import { lostEvents, lostIn } from "./measure-losses.ts";
import { pastLag } from "./preview-lag.ts";
import { pastSilence } from "./preview-silence.ts";
import { addsUp, passEnds, passWindows } from "./preview-windows.ts";
import type { PassedWindows, PreviewPart, PreviewSteps, PreviewWindow } from "./preview-windows.ts";
import { ruleQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";

/** The past of a rule. */
export interface RulePreview {
  /** The range in which its windows end; the first ones begin before. */
  readonly from_ms: number;
  readonly to_ms: number;
  /** From the start of a window to that of the next. */
  readonly step_ms: number;
  /** Time by which its windows are. */
  readonly by: "end" | "receipt" | "minute";
  /** Windows of groups with a result, and of them those that break the rule; null: not counted. */
  readonly established: number | null;
  readonly broken: number | null;
  /** An alert lasts from one window to the next until its condition has ended. */
  readonly alerts: number;
  /**
   * Number of silences in which a receipt may not be recorded; for the judge's lag, number of
   * minutes without a recorded delay.
   */
  readonly unclear: number;
  /** Older pauses of groups that were not looked at. */
  readonly left: number;
  /** The newest windows at which an alert begins. */
  readonly windows: readonly PreviewWindow[];
}

/** Why there is no past, in a sentence. */
export interface NoPreview {
  readonly not_recorded: string;
}

/** Most windows side by side, most steps of a group, and most alerts that are listed. */
const windowsMax = 2_000;
const stepsMax = 10_000;
const listedMax = 25;
const weekMs = 7 * 86_400_000;
const minuteMs = 60_000;
/** Steps of a window, the most that {@link stepsMax} allows; each divides whole seconds. */
const stepsPerWindow = [10, 8, 5, 4, 2] as const;

const lagOfSome =
  "How late the judge was with turns under a filter is not recorded: the minutes have its delay " +
  "with all turns.";
const noLag =
  "How late the judge was is not recorded in this range: this collector did not run, or its judge " +
  "had not settled anything since the start.";
const unproven =
  "No verdict of the past is established: it is not known which turns rest on damaged evidence.";

/** What a preview reads. */
export type PreviewParts = MeasureParts & Pick<Parts, "history">;

/** The past of a rule up to now, over at most so many days, or what is not recorded. */
export async function previewRule(
  parts: PreviewParts,
  rule: AlertRule,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<RulePreview | NoPreview> {
  if (rule.measure === "judge_lag_ms") return previewLag(parts, rule, { nowMs, days });
  if (isUnproven(parts, rule)) return { not_recorded: unproven };
  const { window_ms: windowMs } = rule;
  const spanMs = Math.min(days * 86_400_000, windowsMax * windowMs);
  const fits = (steps: number): boolean => (spanMs / windowMs) * steps <= stepsMax;
  const perWindow = (addsUp(rule) ? stepsPerWindow.find(fits) : undefined) ?? 1;
  const stepMs = windowMs / perWindow;
  // Windows end in the range, and the newest one now, between two steps.
  const newest = nowMs / stepMs;
  const firstEnd = Math.ceil(newest - spanMs / stepMs);
  const weekAgo = Math.round(weekMs / stepMs);
  const steps = { perWindow, firstEnd, lastEnd: Math.floor(newest), newest, weekAgo };
  const frame = { from_ms: Math.round(nowMs - spanMs), to_ms: nowMs, step_ms: stepMs };
  if (rule.measure === "silence") {
    const { windows, ...rest } = await pastSilence(parts, rule, steps, stepMs);
    const uncounted = { established: null, broken: null };
    return { ...frame, by: "receipt", ...uncounted, ...rest, ...listed(windows) };
  }
  const passed =
    rule.measure === "lost_events"
      ? [await passedLosses(parts, rule, steps, stepMs)]
      : await passedTurns(parts, rule, steps, stepMs);
  const windows = passed.flatMap(({ group, alerts }) =>
    alerts.map(({ end, ...found }) => {
      return { group, from_ms: Math.round((end - perWindow) * stepMs), ...found };
    }),
  );
  return {
    ...frame,
    by: rule.measure === "lost_events" ? "receipt" : "end",
    established: passed.reduce((sum, one) => sum + one.established, 0),
    broken: passed.reduce((sum, one) => sum + one.broken, 0),
    unclear: 0,
    left: 0,
    ...listed(windows),
  };
}

/** The number of alerts, and the newest of their windows. */
function listed(windows: readonly PreviewWindow[]): Pick<RulePreview, "alerts" | "windows"> {
  const newest = windows.toSorted((a, b) => b.from_ms - a.from_ms).slice(0, listedMax);
  return { alerts: windows.length, windows: newest };
}

/** The judge's lag by whole minutes. */
async function previewLag(
  { history }: PreviewParts,
  rule: AlertRule,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<RulePreview | NoPreview> {
  if (rule.where !== undefined) return { not_recorded: lagOfSome };
  const last = Math.floor(nowMs / minuteMs);
  const first = Math.ceil((nowMs - days * 86_400_000) / minuteMs);
  const { passed, unclear } = await pastLag(history, rule, { first, last });
  if (passed.established === 0) return { not_recorded: noLag };
  const windows = passed.alerts.map(({ end, ...found }) => {
    return { group: null, from_ms: (end - 1) * minuteMs, ...found };
  });
  return {
    from_ms: first * minuteMs,
    to_ms: last * minuteMs,
    step_ms: minuteMs,
    by: "minute",
    established: passed.established,
    broken: passed.broken,
    unclear,
    left: 0,
    ...listed(windows),
  };
}

type PassedGroup = PassedWindows & { readonly group: string | null };

/** Measures of turns and of their calls, by the turns' own time. */
async function passedTurns(
  parts: MeasureParts,
  rule: AlertRule,
  steps: PreviewSteps,
  stepMs: number,
): Promise<readonly PassedGroup[]> {
  const { ledger } = parts.store;
  const { firstEnd, perWindow, lastEnd, newest, weekAgo } = steps;
  const { scope, where } = await ruleQuery(ledger, rule);
  const read = (from: number, to: number, everyMs?: number): Promise<readonly TurnValue[]> => {
    const span = {
      time: "ended_at",
      from: isoTime(Math.round(from * stepMs)),
      to: isoTime(Math.round(to * stepMs)),
    } as const;
    const query = { scope, where: [...where, span] };
    return rule.measure === "cost_usd"
      ? costValues({ ledger, prices: parts.prices }, rule, query, everyMs)
      : turnValues(ledger, rule, query, everyMs);
  };
  const weeks = rule.change === undefined ? [0] : [0, weekAgo];
  const groups = new Map<string | null, Map<number, PreviewPart>>();
  const backTo = firstEnd - perWindow - (rule.change === undefined ? 0 : weekAgo);
  for (const one of await read(backTo, lastEnd, stepMs)) {
    const own = groups.get(one.group) ?? new Map<number, PreviewPart>();
    groups.set(one.group, own.set(Math.round(one.from_ms / stepMs), partOf(one)));
  }
  /** Whole windows by group and end: those that end between two steps. */
  const whole = new Map<string | null, Map<number, PreviewPart>>();
  for (const ago of newest === lastEnd ? [] : weeks) {
    const end = newest - ago;
    for (const one of await read(end - perWindow, end)) {
      const own = whole.get(one.group) ?? new Map<number, PreviewPart>();
      const value = one.count < rule.min_count ? null : one.value;
      whole.set(one.group, own.set(end, { ...partOf(one), value }));
    }
  }
  return [...new Set([...groups.keys(), ...whole.keys()])].map((group) => {
    const own = { parts: groups.get(group) ?? new Map(), whole: whole.get(group) ?? new Map() };
    return { group, ...passWindows(rule, own, steps) };
  });
}

function partOf({ value, count, cost }: TurnValue): PreviewPart {
  return { value, count, ...(cost === undefined ? {} : { cost }) };
}

/** Losses by the receipt of their reports; when a report was stored is not recorded. */
async function passedLosses(
  parts: MeasureParts,
  rule: AlertRule,
  steps: PreviewSteps,
  stepMs: number,
): Promise<PassedGroup> {
  const lostBy = await lostEvents(parts, receiptMs);
  const { firstEnd, lastEnd, newest } = steps;
  const whole = Array.from(
    { length: Math.max(0, lastEnd - firstEnd + 1) },
    (_, at) => firstEnd + at,
  );
  const ends = newest === lastEnd ? whole : [...whole, newest];
  const at = (end: number): PreviewPart => {
    const lost = lostIn(lostBy, end * stepMs, rule.window_ms);
    return { value: lost, count: lost };
  };
  return { group: null, ...passEnds(rule, ends, at, steps) };
}
