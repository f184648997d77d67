/** @module CostTexts: costs in words; a call without a price is counted and named, never 0. */
import type { Cost, TokenPart } from "../../cost/call-cost.ts";
import { countText, usdText } from "../../ui/display/figures.ts";

/** Why calls have no price, for a reader. */
const unpricedTexts: Readonly<Record<keyof Cost["unpriced_calls"], string>> = {
  model_unknown: "the model was not recorded",
  provider_unknown: "the provider was not recorded",
  not_listed: "no price is listed for the model",
  service_tier: "no price is listed for the service tier",
  tokens_unknown: "the tokens were not recorded",
  tokens_contradict: "a part of the tokens is larger than the whole",
};

/** Number of calls without a price. */
export function unpricedCalls({ unpriced_calls: calls }: Cost): number {
  return Object.values(calls).reduce((sum, count) => sum + count, 0);
}

/** The reasons with their number of calls, the most frequent first. */
export function unpricedReasons({ unpriced_calls: calls }: Cost): readonly string[] {
  return (Object.entries(calls) as [keyof Cost["unpriced_calls"], number][])
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${callsText(count)}: ${unpricedTexts[reason]}`);
}

/** Counts of tokens without which a price is a range, for a reader. */
const partTexts: Readonly<Record<TokenPart, string>> = {
  cached_tokens: "cache reads not recorded",
  cache_write_tokens: "cache writes not recorded",
  reasoning_tokens: "reasoning tokens not recorded",
};

/** What the calls lack whose price is a range; with their number where not all of them lack it. */
export function rangedReasons({ ranged_calls: all, ranged_without: of }: Cost): readonly string[] {
  return (Object.entries(of) as [TokenPart, number][])
    .toSorted(([, a], [, b]) => b - a)
    .map(([part, count]) =>
      count === all ? partTexts[part] : `${callsText(count)}: ${partTexts[part]}`,
    );
}

/** `1 call`, `12 calls`. */
export function callsText(calls: number): string {
  return `${countText(calls)} ${calls === 1 ? "call" : "calls"}`;
}

/** The known amount or its range; undefined where no call has a price. */
export function amountText({ low_usd: low, high_usd: high }: Cost): string | undefined {
  if (low === null || high === null) return undefined;
  return low === high ? usdText(low) : `${usdText(low)} – ${usdText(high)}`;
}
