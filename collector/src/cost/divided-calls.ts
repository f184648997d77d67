/** @module DividedCalls: the model calls of a query, divided so that each group has one price. */
import type { CallField, CallFigures, TurnQuery, TurnReader } from "@turnproof/store";

import type { PricedGroup } from "./open-calls.ts";
import { NeededDivision } from "./needed-division.ts";
import type { Division } from "./needed-division.ts";
import type { PriceList } from "./price-list.ts";
import { pricedCosts } from "./call-costs.ts";
import type { TurnPricing } from "./call-costs.ts";

/** The model calls of a query, divided so that each group has one price, and by interval. */
export async function pricedGroups(
  ledger: Pick<TurnReader, "callFigures">,
  query: TurnQuery,
  { list, everyMs }: { readonly list: PriceList; readonly everyMs: number },
): Promise<readonly PricedGroup[]> {
  const { division, groups } = await dividedCalls(ledger, query, { list, everyMs });
  return groups.map((figures) => pricedGroup(figures, { list, division }));
}

/** One group of calls with its cost. */
export function pricedGroup(figures: CallFigures, pricing: TurnPricing): PricedGroup {
  const row = pricedCosts(figures, pricing);
  const { calls, priced_calls, ranged_calls, ranged_without, unpriced_calls } = row;
  const { low_usd, high_usd } = row;
  const counts = { calls, priced_calls, ranged_calls, ranged_without, unpriced_calls };
  const cost = { ...counts, low_usd, high_usd };
  return { figures, cost };
}

/** Calls of models, divided so that each group has one price. */
interface DividedCalls {
  readonly division: Division;
  readonly groups: readonly CallFigures[];
}

/**
 * Reads them. Prices change at midnight UTC, those of few models by the hour or by the size of the
 * input: only calls of such a model are read again in finer parts.
 *
 * @param of `field`: divides by this field as well. `needed`: begins with what earlier reads
 * needed, and adds what this one does
 */
export async function dividedCalls(
  ledger: Pick<TurnReader, "callFigures">,
  query: TurnQuery,
  of: {
    readonly list: PriceList;
    readonly everyMs?: number;
    readonly field?: CallField;
    readonly needed?: NeededDivision;
  },
): Promise<DividedCalls> {
  const { list, everyMs = 86_400_000, field, needed = new NeededDivision() } = of;
  const fields = ["name", "provider", ...(field === undefined ? [] : [field])] as const;
  const division = needed.division(everyMs);
  const groups = await ledger.callFigures(query, "model", fields, division);
  const hasAll = needed.covers(list, groups);
  return hasAll ? { division, groups } : dividedCalls(ledger, query, { ...of, needed });
}
