/**
 * @module RuleQuery: which turns a rule counts: those that pass its filter, were received in a
 * window, and are of one of its groups.
 */
import { isoTime } from "@turnproof/semconv";
import type { TurnCondition, TurnQuery, TurnReader } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import type { Damage } from "../backend/damage-tracker.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import type { PriceList } from "../cost/price-list.ts";
import type { JudgeParts } from "../parts.ts";
import { knownNames } from "../turns/free-text.ts";
import { turnQueryOf } from "../turns/turn-conditions.ts";

/** What a measure reads. */
export interface MeasureParts extends JudgeParts {
  readonly prices: PriceList;
  readonly damage: Pick<Damage, "report">;
}

/** A turn that lasts longer than this is not found by its last receipt. */
export const longestTurnMs = 86_400_000;
/** Field of the ledger for each kind of group. */
export const groupFields = {
  agent: "agent_id",
  app: "application",
  model: "model",
  release: "release",
  tool: "tool_name",
} as const;

/** The turns that pass the rule's filter; a word without a key is a part of their names. */
export async function ruleQuery(
  ledger: TurnReader,
  { where: q = "" }: AlertRule,
): Promise<TurnQuery> {
  const scope = collectorScope();
  const names = await knownNames(ledger, scope, q);
  return turnQueryOf({ scope, query: {} }, { q }, { names });
}

/** Those received in the window that ends then. @param lengths `any`: turns of days as well */
export async function windowQuery(
  ledger: TurnReader,
  rule: AlertRule,
  endMs: number,
  sizeMs: number,
  lengths: "usual" | "any" = "usual",
): Promise<TurnQuery> {
  const from = endMs - sizeMs;
  const { scope, where } = await ruleQuery(ledger, rule);
  // The order of the ledger; without it a look reads more of the history.
  const began = lengths === "any" ? {} : { from: isoTime(from - longestTurnMs) };
  return {
    scope,
    where: [
      ...where,
      { time: "first_received", ...began, to: isoTime(endMs) },
      { time: "received_at", from: isoTime(from), to: isoTime(endMs) },
    ],
  };
}

/** Turns of a group. */
export function groupCondition(rule: AlertRule, group: string | null): readonly TurnCondition[] {
  const { by } = rule;
  if (by === undefined) return [];
  if (by === "agent") return [{ text: "agent_id", is: group }];
  return [{ list: groupFields[by], has: group }];
}
