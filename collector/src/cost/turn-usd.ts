/** @module TurnUsd: what the model calls of one turn cost, where that is exact. */
import type { TurnCall } from "@turnproof/evidence";
import { usageOf } from "@turnproof/store";

import { costOf } from "./call-cost.ts";
import type { PriceList } from "./price-list.ts";

/**
 * US dollars of a turn's model calls.
 *
 * @param atMs when the turn ended, in epoch milliseconds
 * @returns undefined where one call has no price, or a range of prices
 */
export function usdOfTurn(
  calls: readonly TurnCall[],
  atMs: number,
  list: PriceList,
): number | undefined {
  let sum = 0;
  for (const call of calls) {
    if (call.kind !== "model") continue;
    const { name: model, provider, input_tokens, output_tokens, cached_tokens } = call;
    const steps = list.stepsOf(model, provider);
    const usage = usageOf(call, steps);
    const own = { calls: 1, input_tokens, output_tokens, cached_tokens, usage };
    const { low_usd: low, high_usd: high } = costOf({ ...own, model, provider, atMs }, list, steps);
    if (low === null || low !== high) return undefined;
    sum += low;
  }
  return sum;
}
