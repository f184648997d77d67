/** @module TurnUsd: what the model calls of one turn cost. */
import type { TurnCall } from "@turnproof/evidence";

import { pricingOf } from "./call-price.ts";
import type { PriceList } from "./price-list.ts";

/** The least and the most; equal where the cost is exact. */
export interface UsdRange {
  readonly low: number;
  readonly high: number;
}

/**
 * US dollars of a turn's model calls.
 *
 * @param at when the turn ended, ISO 8601
 * @returns undefined where one call has no price
 */
export function usdOfTurn(
  calls: readonly TurnCall[],
  at: string,
  list: PriceList,
): UsdRange | undefined {
  const { priceOf } = pricingOf(list);
  let [low, high] = [0, 0];
  for (const call of calls) {
    if (call.kind !== "model") continue;
    const price = priceOf({ ...call, model: call.name, at });
    if (price === null) return undefined;
    low += price.low;
    high += price.high;
  }
  return { low, high };
}
