/**
 * @module Preview: when a rule would have fired on what is stored, window after window, by the turns'
 * own time. Only for measures of turns: others have no past in the ledger.
 */
import { isoTime } from "@turnproof/semconv";
import type { TurnReader } from "@turnproof/store";

import type { AlertRule } from "../config/alert-rules.ts";
import { breaks } from "./breach.ts";
import { ruleQuestion, turnValues } from "./measure.ts";
import type { TurnValue } from "./measure.ts";

/** One window of a group in which the rule would have fired. */
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
  /** Windows of groups with a result, and of them those that break the rule. */
  readonly established: number;
  readonly broken: number;
  /** Windows in a row count once: the number of alerts. */
  readonly alerts: number;
  /** The newest windows that break the rule. */
  readonly windows: readonly PreviewWindow[];
}

const previewed: ReadonlySet<AlertRule["measure"]> = new Set([
  "verdict_share",
  "error_share",
  "findings",
  "contract_share",
  "p95_ms",
]);
/** Most windows that are read, and most that are listed. */
const windowsMax = 2_000;
const listedMax = 25;
const weekMs = 7 * 86_400_000;

/** The past of a rule up to now, over at most so many days; null for a measure without one. */
export async function previewRule(
  ledger: TurnReader,
  rule: AlertRule,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<RulePreview | null> {
  if (!previewed.has(rule.measure)) return null;
  const { window_ms: everyMs } = rule;
  const spanMs = Math.min(days * 86_400_000, windowsMax * everyMs);
  const toMs = Math.floor(nowMs / everyMs) * everyMs;
  const fromMs = Math.ceil((toMs - spanMs) / everyMs) * everyMs;
  const backMs = rule.change === undefined ? 0 : weekMs;
  const { scope, where } = await ruleQuestion(ledger, rule);
  const span = { time: "ended_at", from: isoTime(fromMs - backMs), to: isoTime(toMs) } as const;
  const groups = await turnValues(ledger, rule, { scope, where: [...where, span] }, everyMs);
  return foldWindows(rule, groups, fromMs, toMs);
}

function foldWindows(
  rule: AlertRule,
  groups: readonly TurnValue[],
  fromMs: number,
  toMs: number,
): RulePreview {
  const least = rule.measure === "findings" ? 1 : rule.min_count;
  const key = (group: string | null, from: number): string => JSON.stringify([group, from]);
  const values = new Map(
    groups.map(({ group, from_ms: from, value, count }) => [
      key(group, from),
      { value: count < least ? null : value, count },
    ]),
  );
  const windows: PreviewWindow[] = [];
  let established = 0;
  for (const { group: named, from_ms: from } of groups) {
    if (from < fromMs) continue;
    const { value = null, count = 0 } = values.get(key(named, from)) ?? {};
    const broken = breaks(rule, value, values.get(key(named, from - weekMs))?.value ?? null);
    if (broken !== null) established += 1;
    if (broken === true && value !== null)
      windows.push({ group: named, from_ms: from, value, count });
  }
  windows.sort((a, b) => b.from_ms - a.from_ms);
  const broken = new Set(windows.map((one) => key(one.group, one.from_ms)));
  const alerts = windows.filter((one) => !broken.has(key(one.group, one.from_ms - rule.window_ms)));
  return {
    from_ms: fromMs,
    to_ms: toMs,
    established,
    broken: windows.length,
    alerts: alerts.length,
    windows: windows.slice(0, listedMax),
  };
}
