/**
 * @module PriceList: the price of a model at a time, from the deployment's own file and then from
 * the list of `@pydantic/genai-prices`. What neither has is unknown.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import type { ModelPrice } from "@pydantic/genai-prices";

import type { OwnPrice, PriceFile } from "../config/price-file.ts";

/** Why calls have no price. */
export type Unpriced =
  | "model_unknown"
  | "provider_unknown"
  | "not_listed"
  | "service_tier"
  | "tokens_unknown"
  | "tokens_contradict";

/** What decides the price of a call, besides its tokens. */
export interface PricedModel {
  readonly model: string | null;
  readonly provider: string | null;
  readonly serviceTier: string | null;
  /** When the call's turn ended, in epoch milliseconds. */
  readonly atMs: number;
}

/** Prices with their dates. */
export interface PriceList {
  /** Package and version of the list. */
  readonly version: string;
  /** Number of own prices and the digest of their file; null without one. */
  readonly own: { readonly prices: number; readonly digest: string } | null;
  /** The prices at that time, or why there are none. */
  pricesOf(of: PricedModel): ModelPrice | Unpriced;
  /** Price of tokens, in US dollars, at prices without tiers. */
  sum(usage: Readonly<Record<string, number>>, prices: ModelPrice): number;
  /** Counts of input tokens beyond which a price of this model changes, at any time. */
  stepsOf(model: string | null, provider: string | null): readonly number[];
  /** True where a price of this model depends on the time of day. */
  hasHours(model: string | null, provider: string | null): boolean;
}

/** Providers of the conventions that the list has under another name. */
const listedAs: Readonly<Record<string, string>> = {
  x_ai: "x-ai",
  "azure.ai.openai": "azure",
  "azure.ai.inference": "azure",
  "az.ai.openai": "azure",
  "az.ai.inference": "azure",
  "gcp.gen_ai": "google",
};

/** Tiers of service at the listed price. */
const plainTiers: ReadonlySet<string> = new Set(["default", "standard", "auto", "on_demand"]);

/** Opens the list. @param file the deployment's own prices */
export async function openPriceList(file: PriceFile | undefined): Promise<PriceList> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const ownPrices = file?.prices ?? [];
  const listed = (model: string | null, provider: string | null, atMs: number) => {
    if (model === null || provider === null) return null;
    const providerId = listedAs[provider] ?? provider;
    return calcPrice({}, model, { providerId, timestamp: new Date(atMs) });
  };
  const pricesWithin = (model: string | null, provider: string | null): readonly unknown[] => [
    ...ownPrices
      .filter((own) => own.model === model && isOf(own, provider))
      .flatMap(({ prices }) => Object.values(prices)),
    ...conditional(listed(model, provider, 0)?.model.prices).flatMap(({ prices }) =>
      Object.values(prices),
    ),
  ];
  return {
    version: `@pydantic/genai-prices ${await listVersion()}`,
    own: file === undefined ? null : { prices: ownPrices.length, digest: file.digest },
    pricesOf({ model, provider, serviceTier, atMs }) {
      if (model === null) return "model_unknown";
      const own = ownAt(ownPrices, { model, provider, serviceTier, atMs });
      if (own !== undefined) return own.prices;
      if (provider === null) return "provider_unknown";
      if (serviceTier !== null && !plainTiers.has(serviceTier)) return "service_tier";
      const prices = listed(model, provider, atMs)?.model_price;
      return prices?.["input_mtok"] === undefined && prices?.["output_mtok"] === undefined
        ? "not_listed"
        : prices;
    },
    sum(usage, prices) {
      const model = { id: "one", match: { equals: "one" }, prices };
      const provider = { id: "one", name: "one", api_pattern: "^$", models: [model] };
      return calcPrice(usage, "one", { provider })?.total_price ?? 0;
    },
    stepsOf: (model, provider) =>
      pricesWithin(model, provider).flatMap((rate) =>
        isTiered(rate) ? rate.tiers.map(({ start }) => start) : [],
      ),
    hasHours: (model, provider) =>
      conditional(listed(model, provider, 0)?.model.prices).some(
        ({ constraint }) => constraint?.type === "time_of_date",
      ),
  };
}

/** The own price of a model at a time: of the latest date, and the later in the file. */
function ownAt(
  prices: readonly OwnPrice[],
  { model, provider, serviceTier, atMs }: PricedModel,
): OwnPrice | undefined {
  const since = ({ from }: OwnPrice): number => (from === undefined ? -Infinity : Date.parse(from));
  const tier = serviceTier !== null && plainTiers.has(serviceTier) ? null : serviceTier;
  return prices
    .filter((own) => own.model === model && isOf(own, provider) && since(own) <= atMs)
    .filter((own) => (own.service_tier ?? null) === tier)
    .toSorted((a, b) => since(a) - since(b))
    .at(-1);
}

function isOf(own: OwnPrice, provider: string | null): boolean {
  return own.provider === undefined || own.provider === provider;
}

interface Conditional {
  readonly constraint?: { readonly type: string };
  readonly prices: ModelPrice;
}

function conditional(
  prices: ModelPrice | readonly Conditional[] | undefined,
): readonly Conditional[] {
  if (prices === undefined) return [];
  return Array.isArray(prices) ? prices : [{ prices: prices as ModelPrice }];
}

/** A price that depends on the input tokens of a call. */
export interface Tiered {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

/** True for a price with tiers. */
export function isTiered(rate: unknown): rate is Tiered {
  return typeof rate === "object" && rate !== null && "tiers" in rate;
}

/** The package exports no version. */
async function listVersion(): Promise<string> {
  const entry = import.meta.resolve("@pydantic/genai-prices");
  const manifest = await readFile(fileURLToPath(new URL("../package.json", entry)), "utf8");
  return String((JSON.parse(manifest) as { readonly version: unknown }).version);
}
