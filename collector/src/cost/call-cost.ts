/**
 * @module CallCost: what calls cost, in US dollars. Calls of one group have the same model, price,
 * tier and known counts, so their sums are priced as one. A count that is not recorded gives a
 * range, or no price; it is never zero.
 */
import type { ModelPrice } from "@pydantic/genai-prices";
import type { CallFigures, UsageField } from "@turnproof/store";

import { isTiered } from "./price-list.ts";
import type { PriceList, Unpriced } from "./price-list.ts";

/** A count of tokens with a price of its own: a part of the input or of the output. */
export type TokenPart = Extract<
  UsageField,
  "cached_tokens" | "cache_write_tokens" | "reasoning_tokens"
>;

/** Cost of some calls. */
export interface Cost {
  readonly calls: number;
  /** Calls whose price is exact. */
  readonly priced_calls: number;
  /** Calls of which it is not recorded how the input or output divides into parts. */
  readonly ranged_calls: number;
  /** Those of them that lack this count of tokens, on which their price depends. */
  readonly ranged_without: Readonly<Partial<Record<TokenPart, number>>>;
  /** Calls without a price, by reason. */
  readonly unpriced_calls: Readonly<Partial<Record<Unpriced, number>>>;
  /**
   * US dollars of the calls with a price; equal where all of them are exact. Null without one.
   */
  readonly low_usd: number | null;
  readonly high_usd: number | null;
}

/** Calls that are priced as one. */
export type PricedCalls = Pick<
  CallFigures,
  "calls" | "input_tokens" | "output_tokens" | "cached_tokens" | "usage"
> & { readonly model: string | null; readonly provider: string | null; readonly atMs: number };

/** No call. */
export const noCost: Cost = {
  calls: 0,
  priced_calls: 0,
  ranged_calls: 0,
  ranged_without: {},
  unpriced_calls: {},
  low_usd: null,
  high_usd: null,
};

/** The sum of two costs. */
export function addCost(a: Cost, b: Cost): Cost {
  return {
    calls: a.calls + b.calls,
    priced_calls: a.priced_calls + b.priced_calls,
    ranged_calls: a.ranged_calls + b.ranged_calls,
    ranged_without: addCounts(a.ranged_without, b.ranged_without),
    unpriced_calls: addCounts(a.unpriced_calls, b.unpriced_calls),
    low_usd: addKnown(a.low_usd, b.low_usd),
    high_usd: addKnown(a.high_usd, b.high_usd),
  };
}

function addCounts<K extends string>(
  a: Readonly<Partial<Record<K, number>>>,
  b: Readonly<Partial<Record<K, number>>>,
): Readonly<Partial<Record<K, number>>> {
  const sums: Partial<Record<K, number>> = { ...a };
  for (const key of Object.keys(b) as K[]) sums[key] = (a[key] ?? 0) + (b[key] ?? 0);
  return sums;
}

/** A sum in which unknown adds nothing; null where both are unknown. */
export function addKnown(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

/** Prices of tokens, with the count of our calls and of the list, and the letter of `known`. */
const counted = [
  { price: "input_mtok", letter: "i" },
  { price: "output_mtok", letter: "o" },
  {
    price: "cache_read_mtok",
    letter: "c",
    part: "cached_tokens",
    usage: "cache_read_tokens",
    of: "input_mtok",
  },
  {
    price: "cache_write_mtok",
    letter: "w",
    part: "cache_write_tokens",
    usage: "cache_write_tokens",
    of: "input_mtok",
  },
  {
    price: "output_reasoning_mtok",
    letter: "r",
    part: "reasoning_tokens",
    usage: "output_reasoning_tokens",
    of: "output_mtok",
  },
] as const;

/** The cost of calls of one group. @param steps those by which they are divided, ascending */
export function costOf(of: PricedCalls, list: PriceList, steps: readonly number[]): Cost {
  const { calls, usage } = of;
  const unpriced = (reason: Unpriced): Cost => ({
    ...noCost,
    calls,
    unpriced_calls: { [reason]: calls },
  });
  const { model, provider, atMs } = of;
  const serviceTier = usage?.service_tier ?? null;
  const found = list.pricesOf({ model, provider, serviceTier, atMs });
  if (typeof found === "string") return unpriced(found);
  const known = usage?.known ?? "";
  if (known.includes("x")) return unpriced("tokens_contradict");
  const prices = plainPrices(found, usage?.input_step ?? 0, steps);
  const isPriced = (name: string): boolean => (prices[name] ?? 0) > 0;
  const wholes = counted.filter(({ price }) => price === "input_mtok" || price === "output_mtok");
  if (wholes.some(({ price, letter }) => isPriced(price) && !known.includes(letter))) {
    return unpriced("tokens_unknown");
  }
  const requests = ((found["requests_kcount"] as number | undefined) ?? 0) * (calls / 1_000);
  const { ends, lacking } = bounds(of, prices, known);
  const [low, high] = ends.map((given) => list.sum(given, prices) + requests);
  const isExact = low === high;
  return {
    ...noCost,
    calls,
    priced_calls: isExact ? calls : 0,
    ranged_calls: isExact ? 0 : calls,
    ranged_without: isExact ? {} : Object.fromEntries(lacking.map((part) => [part, calls])),
    low_usd: low ?? null,
    high_usd: high ?? null,
  };
}

/** Prices of text tokens at one step of the input. */
function plainPrices(
  prices: ModelPrice,
  step: number,
  steps: readonly number[],
): Record<string, number> {
  const passed = new Set(steps.slice(0, step));
  const plain: Record<string, number> = {};
  for (const { price } of counted) {
    const rate = prices[price];
    if (typeof rate === "number") plain[price] = rate;
    else if (isTiered(rate)) {
      const reached = rate.tiers.filter(({ start }) => passed.has(start));
      plain[price] = reached.toSorted((a, b) => a.start - b.start).at(-1)?.price ?? rate.base;
    }
  }
  return plain;
}

/**
 * The cheapest and the dearest usage that the known counts allow: a part that is not recorded may
 * be nothing of the rest of its whole, or all of it.
 */
function bounds(
  of: PricedCalls,
  prices: Readonly<Record<string, number>>,
  known: string,
): {
  readonly ends: readonly [Record<string, number>, Record<string, number>];
  /** Counts that are not recorded and that the two differ by. */
  readonly lacking: readonly TokenPart[];
} {
  const { input_tokens: input, output_tokens: output, cached_tokens: read, usage } = of;
  const parts: Readonly<Record<string, number>> = {
    cache_read_tokens: read ?? 0,
    cache_write_tokens: usage?.cache_write_tokens ?? 0,
    output_reasoning_tokens: usage?.reasoning_tokens ?? 0,
  };
  const low: Record<string, number> = { input_tokens: input ?? 0, output_tokens: output ?? 0 };
  const high = { ...low };
  const lacking: TokenPart[] = [];
  for (const whole of ["input_mtok", "output_mtok"] as const) {
    const own = counted.flatMap((one) =>
      "of" in one && one.of === whole && prices[one.price] !== undefined ? [one] : [],
    );
    const rest = own.reduce(
      (left, { usage: name }) => left - (parts[name] ?? 0),
      (whole === "input_mtok" ? input : output) ?? 0,
    );
    const open = own.filter(({ letter }) => !known.includes(letter));
    const differs = open.filter(({ price }) => prices[price] !== (prices[whole] ?? 0));
    if (rest > 0) lacking.push(...differs.map(({ part }) => part));
    const rates = [
      { name: undefined, rate: prices[whole] ?? 0 },
      ...open.map(({ usage: name, price }) => ({ name, rate: prices[price] ?? 0 })),
    ].toSorted((a, b) => a.rate - b.rate);
    for (const [given, end] of [
      [low, rates[0]],
      [high, rates.at(-1)],
    ] as const) {
      for (const { usage: name } of own) given[name] = parts[name] ?? 0;
      if (end?.name !== undefined) given[end.name] = rest;
    }
  }
  return { ends: [low, high], lacking };
}
