/**
 * @module TurnMeans: dollars of the turns with a model call, by interval, where the cost of each is
 * exactly known. With a call that has no price, or only a range of one, what is known are bounds of
 * the sum: a mean of the other turns is of a selection, and one that counts such a call as 0, or at
 * the least, is of something else.
 */
import type { TurnQuery, TurnReader } from "@turnproof/store";

import { openCalls } from "./open-calls.ts";
import type { PricedGroup } from "./open-calls.ts";
import type { PriceList } from "./price-list.ts";
import { pricedGroups } from "./divided-calls.ts";

/** Turns of one interval, and what they cost. */
interface CostedTurns {
  readonly turns: number;
  readonly usd: number;
}

/** Cost of the turns with a model call. */
export interface MeanCosts {
  /** Turns with a model call. */
  readonly turns: number;
  /** By the start of an interval; empty where the cost of a turn is not exactly known. */
  readonly slices: ReadonlyMap<number, CostedTurns>;
  /** Turns whose cost is not exactly known. */
  readonly inexact: number;
  /**
   * Dollars of all calls at least and at most, where a turn is inexact; `high` is null with a call
   * without a price. Null where no call has one.
   */
  readonly bounds: { readonly low: number; readonly high: number | null } | null;
}

/** No turn with a model call. */
export const noMeanCosts: MeanCosts = { turns: 0, slices: new Map(), inexact: 0, bounds: null };

/**
 * Reads them.
 *
 * @param options.everyMs a divisor of a day
 */
export async function meanCosts(
  ledger: Pick<TurnReader, "callFigures" | "turnCounts">,
  query: TurnQuery,
  options: { readonly list: PriceList; readonly everyMs: number },
): Promise<MeanCosts> {
  const { everyMs } = options;
  const groups = await pricedGroups(ledger, query, options);
  const open = openCalls(groups, ({ calls, priced_calls: exact }) => exact < calls);
  const called = { ...query, where: [...query.where, { call: { kind: "model" as const } }] };
  const also = { any: open.map((call) => ({ call })) };
  const counts = await ledger.turnCounts(called, { everyMs, also });
  const turns = counts.reduce((sum, one) => sum + one.turns, 0);
  if (open.length === 0) {
    const slices = new Map(counts.map(({ from_ms: from = 0, turns: own }) => [from, own]));
    return { turns, slices: costsOf(groups, slices, everyMs), inexact: 0, bounds: null };
  }
  const inexact = counts.reduce((sum, one) => sum + (one.also ?? 0), 0);
  return { turns, slices: new Map(), inexact, bounds: boundsOf(groups) };
}

function boundsOf(groups: readonly PricedGroup[]): MeanCosts["bounds"] {
  const costs = groups.map(({ cost }) => cost);
  const sum = (of: "low_usd" | "high_usd"): number =>
    costs.reduce((total, cost) => total + (cost[of] ?? 0), 0);
  if (costs.every(({ low_usd: low }) => low === null)) return null;
  const whole = costs.every(({ unpriced_calls: none }) =>
    Object.values(none).every((calls) => calls === 0),
  );
  return { low: sum("low_usd"), high: whole ? sum("high_usd") : null };
}

function costsOf(
  groups: readonly PricedGroup[],
  turns: ReadonlyMap<number, number>,
  everyMs: number,
): MeanCosts["slices"] {
  const usd = new Map<number, number>();
  for (const { figures, cost } of groups) {
    const from = Math.floor((figures.from_ms ?? 0) / everyMs) * everyMs;
    usd.set(from, (usd.get(from) ?? 0) + (cost.low_usd ?? 0));
  }
  return new Map(
    [...turns].map(([from, own]) => [from, { turns: own, usd: usd.get(from) ?? 0 }] as const),
  );
}
