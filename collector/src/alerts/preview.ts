/**
 * @module Preview: when a rule would have fired on what is stored, by the turns' own time. Windows
 * slide in steps, as those of a living rule do; a percentile does not follow from those of parts,
 * so its windows stand side by side. Only for measures of turns: others have no past in the ledger.
 */
import { isoTime } from "@turnproof/semconv";
import type { TurnReader } from "@turnproof/store";

import type { AlertRule } from "../config/alert-rules.ts";
import { turnValues } from "./measure.ts";
import { addsUp, passWindows } from "./preview-windows.ts";
import type { PreviewPart } from "./preview-windows.ts";
import { ruleQuestion } from "./rule-question.ts";

/** The window of a group at which an alert would have begun. */
export interface PreviewWindow {
  readonly group: string | null;
  readonly from_ms: number;
  readonly value: number;
  readonly count: number;
}

/** The past of a rule. */
export interface RulePreview {
  readonly from_ms: number;
  readonly to_ms: number;
  /** From the start of a window to that of the next. */
  readonly step_ms: number;
  /** Windows of groups with a result, and of them those that break the rule. */
  readonly established: number;
  readonly broken: number;
  /** An alert lasts from one window to the next until its condition has ended. */
  readonly alerts: number;
  /** The newest windows at which an alert begins. */
  readonly windows: readonly PreviewWindow[];
}

const previewed: ReadonlySet<AlertRule["measure"]> = new Set([
  "verdict_share",
  "error_share",
  "findings",
  "contract_share",
  "p95_ms",
]);
/** Most windows side by side, most steps of a group, and most alerts that are listed. */
const windowsMax = 2_000;
const stepsMax = 10_000;
const listedMax = 25;
const weekMs = 7 * 86_400_000;
/** Steps of a window, the most that {@link stepsMax} allows; each divides whole seconds. */
const stepsPerWindow = [10, 8, 5, 4, 2] as const;

/** The past of a rule up to now, over at most so many days; null for a measure without one. */
export async function previewRule(
  ledger: TurnReader,
  rule: AlertRule,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<RulePreview | null> {
  if (!previewed.has(rule.measure)) return null;
  const { window_ms: windowMs } = rule;
  const spanMs = Math.min(days * 86_400_000, windowsMax * windowMs);
  const fits = (steps: number): boolean => (spanMs / windowMs) * steps <= stepsMax;
  const perWindow = (addsUp(rule) ? stepsPerWindow.find(fits) : undefined) ?? 1;
  const stepMs = windowMs / perWindow;
  const lastEnd = Math.floor(nowMs / stepMs);
  const from = Math.ceil(lastEnd - spanMs / stepMs);
  const weekAgo = Math.round(weekMs / stepMs);
  const backTo = from - (rule.change === undefined ? 0 : weekAgo);
  const { scope, where } = await ruleQuestion(ledger, rule);
  const span = {
    time: "ended_at",
    from: isoTime(backTo * stepMs),
    to: isoTime(lastEnd * stepMs),
  } as const;
  const values = await turnValues(ledger, rule, { scope, where: [...where, span] }, stepMs);
  const groups = new Map<string | null, Map<number, PreviewPart>>();
  for (const { group, from_ms, value, count } of values) {
    const parts = groups.get(group) ?? new Map<number, PreviewPart>();
    groups.set(group, parts.set(Math.round(from_ms / stepMs), { value, count }));
  }
  const steps = { perWindow, firstEnd: from + perWindow, lastEnd, weekAgo };
  const passed = [...groups].map(([group, parts]) => ({
    group,
    ...passWindows(rule, parts, steps),
  }));
  const windows = passed
    .flatMap(({ group, alerts }) =>
      alerts.map(({ end, value, count }) => {
        return { group, from_ms: (end - perWindow) * stepMs, value, count };
      }),
    )
    .toSorted((a, b) => b.from_ms - a.from_ms);
  return {
    from_ms: from * stepMs,
    to_ms: lastEnd * stepMs,
    step_ms: stepMs,
    established: passed.reduce((sum, one) => sum + one.established, 0),
    broken: passed.reduce((sum, one) => sum + one.broken, 0),
    alerts: windows.length,
    windows: windows.slice(0, listedMax),
  };
}
