/** @module TurnUsd: what the model calls of one turn cost, where that is exact. */
import type { TurnCall } from "@turnproof/evidence";

import { pricingOf } from "./call-price.ts";
import type { PriceList } from "./price-list.ts";

/**
 * US dollars of a turn's model calls.
 *
 * @param at when the turn ended, ISO 8601
 * @returns undefined where one call has no price, or a range of prices
 */
export function usdOfTurn(
  calls: readonly TurnCall[],
  at: string,
  list: PriceList,
): number | undefined {
  const { priceOf } = pricingOf(list);
  let sum = 0;
  for (const call of calls) {
    if (call.kind !== "model") continue;
    const price = priceOf({ ...call, model: call.name, at });
    if (price === null || price.low !== price.high) return undefined;
    sum += price.low;
  }
  return sum;
}
