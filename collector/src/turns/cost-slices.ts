/**
 * @module CostSlices: what the model calls of a query's turns cost over time. Calls without a
 * price are counted beside the known cost; an interval without a known cost has none, never 0.
 */
import type { TurnQuery, TurnReader } from "@turnproof/store";

import { turnSeries } from "./turn-series.ts";
import type { SeriesOptions } from "./turn-series.ts";
import { noCost } from "../cost/call-cost.ts";
import type { PriceList } from "../cost/price-list.ts";
import { costsOverTime } from "../cost/costs-by.ts";

/** The turns that ended in one interval, in epoch milliseconds, and their cost. */
export interface CostSlice {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly turns: number;
  readonly calls: number;
  /** Calls without a price. */
  readonly unpriced: number;
  /** US dollars of the other calls, at least and at most. Null without one. */
  readonly low_usd: number | null;
  readonly high_usd: number | null;
}

/** Costs over time: every interval in its order; empty where no time is drawn. */
export async function costSlices(
  ledger: TurnReader,
  query: TurnQuery,
  { list, ...options }: SeriesOptions & { readonly list: PriceList },
): Promise<readonly CostSlice[]> {
  const { drawn, frame, bars } = await turnSeries(
    (requested, by) => ledger.turnCounts(requested, by),
    query,
    options,
  );
  if (frame === undefined) return [];
  const costs = await costsOverTime(ledger, drawn, { list, everyMs: frame.stepMs });
  return bars.map(({ fromMs, toMs, figures }) => {
    const { calls, unpriced_calls, low_usd, high_usd } = costs.get(fromMs) ?? noCost;
    return {
      from_ms: fromMs,
      to_ms: toMs,
      turns: figures?.turns ?? 0,
      calls,
      unpriced: Object.values(unpriced_calls).reduce((sum, count) => sum + count, 0),
      low_usd,
      high_usd,
    };
  });
}
