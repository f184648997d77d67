/** @module CostsBy: what model calls cost, by a field and by intervals of time. */
import type { TurnQuery, TurnReader } from "@turnproof/store";

import { addCost, noCost } from "./call-cost.ts";
import type { Cost } from "./call-cost.ts";
import type { NeededDivision } from "./needed-division.ts";
import type { PriceList } from "./price-list.ts";
import { costTurnFields } from "./turn-costs.ts";
import type { CostField } from "./turn-costs.ts";
import { dividedCalls, pricedGroup } from "./divided-calls.ts";

/** Costs by the start of an interval of time. */
export async function costsOverTime(
  ledger: TurnReader,
  query: TurnQuery,
  of: { readonly list: PriceList; readonly everyMs: number },
): Promise<ReadonlyMap<number, Cost>> {
  const costs = await costsBy(ledger, query, of);
  return new Map(costs.map(({ from_ms, value: _value, ...cost }) => [from_ms, cost]));
}

/** Cost of the calls with one value, in one interval of the turns' ends. */
export interface ValuedCost extends Cost {
  /** Null where it is not recorded, and where costs are not divided by a field. */
  readonly value: string | null;
  /** Start of the interval, epoch milliseconds; 0 without intervals. */
  readonly from_ms: number;
}

/** Costs by a field, if any, and by intervals, if any; the same model of two providers is one. */
export async function costsBy(
  ledger: Pick<TurnReader, "callFigures">,
  query: TurnQuery,
  of: {
    readonly list: PriceList;
    readonly by?: Exclude<CostField, "turn"> | undefined;
    readonly everyMs?: number | undefined;
    /** What an earlier read of such a query needed: then one read is enough. */
    readonly needed?: NeededDivision | undefined;
  },
): Promise<readonly ValuedCost[]> {
  const { list, by, everyMs, needed } = of;
  const field = by === undefined || by === "model" ? undefined : costTurnFields[by];
  const { division, groups } = await dividedCalls(ledger, query, {
    list,
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(field === undefined ? {} : { field }),
    ...(needed === undefined ? {} : { needed }),
  });
  const costs = new Map<string, ValuedCost>();
  for (const figures of groups) {
    const value = by === undefined ? null : (figures.group[field ?? "name"] ?? null);
    const from_ms =
      everyMs === undefined ? 0 : Math.floor((figures.from_ms ?? 0) / everyMs) * everyMs;
    const key = JSON.stringify([value, from_ms]);
    const { cost } = pricedGroup(figures, { list, division });
    costs.set(key, { ...addCost(costs.get(key) ?? noCost, cost), value, from_ms });
  }
  return [...costs.values()];
}
