/** @module CallCosts: cost and tokens of some calls, and their sums. */
import { usageLetters } from "@turnproof/store";
import type { CallFigures, UsageField } from "@turnproof/store";

import { addCost, addKnown, costOf, noCost } from "./call-cost.ts";
import type { Cost, PricedCalls } from "./call-cost.ts";
import type { Division } from "./needed-division.ts";
import type { PriceList } from "./price-list.ts";

/** Cost and tokens of some calls. */
export interface CallCosts extends Cost {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly reasoning_tokens: number | null;
  /** Calls whose input or output tokens are not recorded. */
  readonly tokens_unknown: number;
  /** Calls that are missing from each sum of tokens: theirs are not recorded. */
  readonly calls_without: Readonly<Record<UsageField, number>>;
}

/** Prices, and how the calls are divided for them. */
export interface TurnPricing {
  readonly list: PriceList;
  readonly division: Division;
}

/** Cost and tokens of one group of calls. */
export function pricedCosts(figures: CallFigures, { list, division }: TurnPricing): CallCosts {
  const { name: model = null, provider = null } = figures.group;
  const calls: PricedCalls = { ...figures, model, provider, atMs: figures.from_ms ?? 0 };
  const { input_tokens, output_tokens, cached_tokens, usage } = figures;
  const known = usage?.known ?? "";
  // Calls of one group have the same known counts.
  const without = (letters: string): number =>
    letters.split("").every((letter) => known.includes(letter)) ? 0 : figures.calls;
  return {
    ...costOf(calls, list, division.inputSteps),
    input_tokens,
    output_tokens,
    cached_tokens,
    cache_write_tokens: usage?.cache_write_tokens ?? null,
    reasoning_tokens: usage?.reasoning_tokens ?? null,
    tokens_unknown: without("io"),
    calls_without: perUsage((_field, letter) => without(letter)),
  };
}

/** A number for each count of tokens. */
function perUsage(
  numberOf: (field: UsageField, letter: string) => number,
): CallCosts["calls_without"] {
  const entries = usageLetters.map(([letter, field]) => [field, numberOf(field, letter)] as const);
  return Object.fromEntries(entries) as Record<UsageField, number>;
}

/** Of no calls. */
export const noCosts: CallCosts = {
  ...noCost,
  input_tokens: null,
  output_tokens: null,
  cached_tokens: null,
  cache_write_tokens: null,
  reasoning_tokens: null,
  tokens_unknown: 0,
  calls_without: perUsage(() => 0),
};

/** The sum of both, with what else the first has. */
export function addCosts<T extends CallCosts>(a: T, b: CallCosts): T {
  return {
    ...a,
    ...addCost(a, b),
    input_tokens: addKnown(a.input_tokens, b.input_tokens),
    output_tokens: addKnown(a.output_tokens, b.output_tokens),
    cached_tokens: addKnown(a.cached_tokens, b.cached_tokens),
    cache_write_tokens: addKnown(a.cache_write_tokens, b.cache_write_tokens),
    reasoning_tokens: addKnown(a.reasoning_tokens, b.reasoning_tokens),
    tokens_unknown: a.tokens_unknown + b.tokens_unknown,
    calls_without: perUsage((field) => a.calls_without[field] + b.calls_without[field]),
  };
}
