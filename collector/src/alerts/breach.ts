/** @module Breach: whether a measured value breaks its rule, and the words for it. */
import type { AlertRule } from "../config/alert-rules.ts";
import type { CostBounds } from "./alert-state.ts";
import { countText, durationText, usdText } from "../ui/display/figures.ts";

/** True for a measure that is a number of turns: a window without any of them has a result, 0. */
export function countsTurns({ measure }: Pick<AlertRule, "measure">): boolean {
  return measure === "findings" || measure === "insights";
}

/** True where it breaks the rule, false where it does not, null where that is not established. */
export function breaks(
  rule: AlertRule,
  value: number | null,
  before: number | null,
): boolean | null {
  if (value === null) return null;
  const { measure, above, below, change, window_ms } = rule;
  if (measure === "silence") return value >= window_ms;
  if (above !== undefined) return value > above;
  if (below !== undefined) return value < below;
  if (change === undefined || before === null) return null;
  // From nothing to something is more than any number of times.
  return before === 0 ? value > 0 : value / before > change;
}

/** A value of the rule's measure in words; of a cost its range, and the calls without a price. */
export function valueText(
  {
    measure,
    above,
    below,
  }: Pick<AlertRule, "measure"> & Partial<Pick<AlertRule, "above" | "below">>,
  value: number | null,
  cost?: CostBounds,
): string {
  if (cost !== undefined) return costText(value, cost);
  if (value === null) return "not established";
  if (measure.endsWith("_share")) return shareText(value, above ?? below);
  if (measure.endsWith("_ms") || measure === "silence") return durationText(value);
  return measure === "cost_usd" ? usdText(value) : countText(value);
}

/**
 * A share in percent: a limit as it is, and a value with digits that differ from those of the
 * limit.
 */
function shareText(value: number, limit?: number): string {
  const text = (of: number, digits: number): string => (of * 100).toFixed(digits);
  const isDistinct = (digits: number): boolean =>
    limit === value
      ? Math.abs(Number(text(value, digits)) / 100 - value) < 1e-9
      : limit === undefined || text(value, digits) !== text(limit, digits);
  return `${text(value, [1, 2, 3, 4].find(isDistinct) ?? 5)} %`;
}

function costText(
  value: number | null,
  { low_usd, high_usd, unpriced_calls: unpriced }: CostBounds,
): string {
  const bounds = value === null ? [] : [low_usd, high_usd].flatMap((usd) => usd ?? []);
  const texts = [...new Set(bounds.map(usdText))];
  const known = texts.length === 0 ? "not established" : texts.join(" to ");
  if (unpriced === 0) return known;
  return `${known}, and ${countText(unpriced)} ${unpriced === 1 ? "call" : "calls"} without a price`;
}

/** What the rule measures, in words. */
export function measureText(
  rule: Pick<AlertRule, "measure" | "verdict" | "finding" | "insight" | "contract">,
): string {
  const words = {
    verdict_share: `Share of judged turns with verdict ${rule.verdict ?? ""}`,
    error_share: "Share of turns in which something failed",
    findings: `Turns with finding ${rule.finding ?? ""}`,
    insights: `Turns with insight ${rule.insight ?? ""}`,
    contract_share: `Share of turns that violate contract ${rule.contract ?? ""}`,
    p95_ms: "95th percentile of the turns' durations",
    cost_usd: "Cost of the priced model calls",
    lost_events: "Events that producers reported as lost",
    silence: "No turn was received",
    judge_lag_ms: "Time that the judge is late with a turn",
  } as const;
  return words[rule.measure];
}

/** The limit of the rule in words. */
export function limitText(rule: AlertRule): string {
  const { above, below, change, measure, window_ms } = rule;
  const within = `in ${durationText(window_ms)}`;
  if (measure === "silence") return within;
  if (above !== undefined) return `above ${valueText(rule, above)} ${within}`;
  if (below !== undefined) return `below ${valueText(rule, below)} ${within}`;
  return `over ${change} times the week before, ${within}`;
}
