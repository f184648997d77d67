/**
 * @module MeasureCost: the cost of the model calls of a rule's turns, as its bounds. The value is
 * the one that may break the rule: an alarm is not missed because a count is not recorded. A call
 * without a price is in neither.
 */
import type { TurnQuery, TurnReader } from "@turnproof/store";

import type { AlertRule } from "../config/alert-rules.ts";
import { addKnown, noCost } from "../cost/call-cost.ts";
import type { PriceList } from "../cost/price-list.ts";
import { NeededDivision } from "../cost/needed-division.ts";
import { costsBy } from "../cost/costs-by.ts";
import type { CostBounds } from "./alert-state.ts";
import type { MeasuredGroup } from "./rule-change.ts";

/** The cost of a group, in one interval where there are intervals. */
export interface CostValue extends MeasuredGroup {
  readonly cost: CostBounds;
  /** Start of the interval, epoch milliseconds; 0 without intervals. */
  readonly from_ms: number;
}

/** A rule is evaluated again and again, mostly about calls of the same models. */
const neededOf = new WeakMap<AlertRule, NeededDivision>();

/** Costs of a rule's groups. @param everyMs length of the intervals */
export async function costValues(
  { ledger, prices }: { readonly ledger: TurnReader; readonly prices: PriceList },
  rule: AlertRule,
  query: TurnQuery,
  everyMs?: number,
): Promise<readonly CostValue[]> {
  const by = rule.by === "tool" || rule.by === "app" ? undefined : rule.by;
  const needed = neededOf.get(rule) ?? new NeededDivision();
  neededOf.set(rule, needed);
  const found = await costsBy(ledger, query, { list: prices, by, everyMs, needed });
  const none = { ...noCost, value: null, from_ms: 0 };
  const rows = found.length === 0 && by === undefined && everyMs === undefined ? [none] : found;
  return rows.map(
    ({ value: group, from_ms, calls, low_usd, high_usd, unpriced_calls: reasons }) => {
      const unpriced_calls = Object.values(reasons).reduce((sum, of) => sum + of, 0);
      const cost = { low_usd, high_usd, unpriced_calls };
      return { group, from_ms, value: boundOf(rule, cost), count: calls, cost };
    },
  );
}

/** The bound that may break the rule. */
export function boundOf({ below }: AlertRule, { low_usd, high_usd }: CostBounds): number | null {
  return below === undefined ? high_usd : low_usd;
}

/** The sum of two costs. */
export function addBounds(a: CostBounds | undefined, b: CostBounds): CostBounds {
  if (a === undefined) return b;
  return {
    low_usd: addKnown(a.low_usd, b.low_usd),
    high_usd: addKnown(a.high_usd, b.high_usd),
    unpriced_calls: a.unpriced_calls + b.unpriced_calls,
  };
}
