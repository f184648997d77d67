/** @module PreviewModel: the past of a rule as the page of alerts shows it. */
import { CodedError } from "@turnproof/semconv";

import { turnsQuery } from "../../alerts/alert-message.ts";
import { limitText, measureText, valueText } from "../../alerts/breach.ts";
import { previewRule } from "../../alerts/preview.ts";
import type { PreviewParts, RulePreview } from "../../alerts/preview.ts";
import type { AlertRule } from "../../config/alert-rules.ts";
import type { PriceList } from "../../cost/price-list.ts";
import type { Parts } from "../../parts.ts";
import type { Ranged } from "./alert-files.ts";

/** The past of a rule. */
export interface PreviewModel {
  readonly name: string;
  readonly days: number;
  readonly sentence: string;
  /** Null where it is not recorded. */
  readonly past: RulePreview | null;
  /** What is not recorded, in a sentence; null where there is a past. */
  readonly not_recorded: string | null;
  readonly value_texts: readonly string[];
  /** Query string of the list of its turns; null where a window has no turns of its own. */
  readonly turns_query: string | null;
  readonly window_ms: number;
  /** What the counts of its windows are of: `heard`, turns of the day before a silence. */
  readonly counted: "turns" | "calls" | "events" | "heard" | "minutes";
}

/** Time before which a preview ends, epoch milliseconds, and its length in days. */
export interface PastSpan {
  readonly nowMs: number;
  readonly days: number;
}

const dayMs = 86_400_000;
const daysMax = 30;

/**
 * The span of a preview: the range, of which the last 30 days; so many days where it has no start.
 */
export function spanOf(
  parts: Pick<Parts, "now">,
  { start_time, end_time }: Ranged,
  days?: number,
): PastSpan {
  const now = parts.now();
  const nowMs = end_time === undefined ? now : Math.min(now, Date.parse(end_time));
  if (days !== undefined || start_time === undefined) return { nowMs, days: days ?? 7 };
  return { nowMs, days: Math.min(daysMax, Math.max(0, nowMs - Date.parse(start_time)) / dayMs) };
}

/** The past of a rule, with the texts of its page. @throws CodedError `preview_timeout` */
export async function previewOf(
  parts: Omit<PreviewParts, "prices">,
  prices: Promise<PriceList>,
  rule: AlertRule,
  span: PastSpan,
): Promise<PreviewModel> {
  const read = previewRule({ ...parts, prices: await prices }, rule, span);
  const found = await read.catch((error: unknown): never => {
    if (!CodedError.is(error) || error.code !== "store_timeout") throw error;
    throw new CodedError("preview_timeout", { field: rule.name, cause: error });
  });
  const past = "not_recorded" in found ? null : found;
  return {
    name: rule.name,
    days: span.days,
    sentence: `${measureText(rule)}, ${limitText(rule)}`,
    past,
    not_recorded: "not_recorded" in found ? found.not_recorded : null,
    value_texts: (past?.windows ?? []).map(({ value, cost }) => valueText(rule, value, cost)),
    turns_query: past?.by === "end" ? turnsQuery(rule) : null,
    window_ms: past?.by === "minute" ? past.step_ms : rule.window_ms,
    counted: countedBy(rule),
  };
}

function countedBy({ measure }: AlertRule): PreviewModel["counted"] {
  if (measure === "cost_usd") return "calls";
  if (measure === "lost_events") return "events";
  if (measure === "judge_lag_ms") return "minutes";
  return measure === "silence" ? "heard" : "turns";
}
