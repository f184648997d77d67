/**
 * @module TurnMeans: dollars of the turns whose cost is exactly known, by interval. A turn with a
 * call that has no price, or only a range of one, is not among them: a mean that counts it as 0, or
 * at the least, is of something else.
 */
import type { TurnQuery, TurnReader } from "@turnproof/store";

import { openCalls } from "./open-calls.ts";
import type { PricedGroup } from "./open-calls.ts";
import type { PriceList } from "./price-list.ts";
import { pricedGroups } from "./turn-costs.ts";

/** Turns of one interval whose cost is exactly known; those without a model call cost nothing. */
export interface KnownTurns {
  readonly turns: number;
  readonly usd: number;
}

/** Such turns by the start of an interval, and whether any of them has a priced call. */
export interface KnownCosts {
  readonly slices: ReadonlyMap<number, KnownTurns>;
  readonly priced: boolean;
}

/**
 * Reads them; all turns where each call has an exact price.
 *
 * @param options.everyMs a divisor of a day
 * @param options.turns all turns by interval
 */
export async function knownCosts(
  ledger: Pick<TurnReader, "callFigures" | "turnCounts">,
  question: TurnQuery,
  options: {
    readonly list: PriceList;
    readonly everyMs: number;
    readonly turns: ReadonlyMap<number, number>;
  },
): Promise<KnownCosts> {
  const { everyMs, turns } = options;
  const all = await pricedGroups(ledger, question, options);
  const priced = all.some(({ cost }) => cost.priced_calls > 0);
  if (all.length > 0 && !priced) return { slices: new Map(), priced };
  const open = openCalls(all, ({ calls, priced_calls: exact }) => exact < calls);
  if (open.length === 0) return costsOf(all, turns, everyMs);
  const any = open.map((call) => ({ call }));
  const known = { ...question, where: [...question.where, { any, not: true as const }] };
  const [groups, counts] = await Promise.all([
    pricedGroups(ledger, known, options),
    ledger.turnCounts(known, { everyMs }),
  ]);
  const counted = new Map(counts.map(({ from_ms: from = 0, turns: own }) => [from, own]));
  return costsOf(groups, counted, everyMs);
}

function costsOf(
  groups: readonly PricedGroup[],
  turns: ReadonlyMap<number, number>,
  everyMs: number,
): KnownCosts {
  const usd = new Map<number, number>();
  for (const { figures, cost } of groups) {
    const from = Math.floor((figures.from_ms ?? 0) / everyMs) * everyMs;
    usd.set(from, (usd.get(from) ?? 0) + (cost.low_usd ?? 0));
  }
  const slices = [...turns].map(
    ([from, own]) => [from, { turns: own, usd: usd.get(from) ?? 0 }] as const,
  );
  return { slices: new Map(slices), priced: groups.some(({ cost }) => cost.priced_calls > 0) };
}
