/**
 * @module CallPrice: the price of a model call for a `cost` clause of a contract, as the page of
 * costs has it.
 */
import type { CallToPrice } from "@turnproof/contracts";
import { usageOf } from "@turnproof/store";

import { costOf } from "./call-cost.ts";
import type { PriceList } from "./price-list.ts";

/** Pricing of an evaluation. */
export interface Pricing {
  readonly priceUnit: string;
  readonly priceOf: (call: CallToPrice) => { readonly low: number; readonly high: number } | null;
}

/** Prices of the list: a range where a count of tokens is not recorded, null without a price. */
export function pricingOf(list: PriceList): Pricing {
  const known = new Map<string, readonly number[]>();
  const stepsOf = (model: string | null, provider: string | null): readonly number[] => {
    const key = JSON.stringify([model, provider]);
    const steps = known.get(key) ?? list.stepsOf(model, provider);
    known.set(key, steps);
    return steps;
  };
  return {
    priceUnit: "US dollars",
    priceOf({ at, ...call }) {
      const { model, provider } = call;
      const steps = stepsOf(model, provider);
      const usage = usageOf(call, steps);
      const cost = costOf({ ...call, calls: 1, usage, atMs: Date.parse(at) }, list, steps);
      const { low_usd: low, high_usd: high } = cost;
      return low === null || high === null ? null : { low, high };
    },
  };
}
