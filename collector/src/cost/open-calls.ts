/**
 * @module OpenCalls: conditions for the turns with calls whose cost is not known, and the number of
 * these turns.
 */
import { groupBy } from "@turnproof/semconv";
import type { CallFigures, CallValues, TurnQuery, TurnReader } from "@turnproof/store";

import type { Cost } from "./call-cost.ts";

/** Model calls of one kind of price, and their cost. */
export interface PricedGroup {
  readonly figures: CallFigures;
  readonly cost: Cost;
}

/**
 * Values of the open calls: of a model whose calls are all open by its name alone, else with what
 * their price depends on.
 */
export function openCalls(
  groups: readonly PricedGroup[],
  isOpen: (cost: Cost) => boolean,
): readonly CallValues[] {
  const models = groupBy(groups, ({ figures }) => JSON.stringify(modelOf(figures)));
  return [...models.values()].flatMap((own) => {
    const open = own.filter(({ cost }) => isOpen(cost));
    const [first] = open;
    if (first !== undefined && open.length === own.length) return [modelOf(first.figures)];
    const values = open.map(({ figures }): CallValues => {
      const { service_tier = null, known = null } = figures.usage ?? {};
      return { ...modelOf(figures), service_tier, known };
    });
    return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
  });
}

function modelOf({ group: { name = null, provider = null } }: CallFigures): CallValues {
  return { kind: "model", name, provider };
}

/** True where a call has no price. */
export function isUnpriced({ calls, priced_calls, ranged_calls }: Cost): boolean {
  return calls > priced_calls + ranged_calls;
}

/** Fields by whose values turns are counted. */
type CountedField = "agent_id" | "tenant" | "release" | "thread_id";

/** Number of turns with one of these calls, in all and by the values of a field. */
export async function turnsWith(
  ledger: Pick<TurnReader, "countTurns" | "turnFacets">,
  query: TurnQuery,
  { calls, by }: { readonly calls: readonly CallValues[]; readonly by: CountedField | undefined },
): Promise<{ readonly turns: number; readonly byValue: ReadonlyMap<string | null, number> }> {
  if (calls.length === 0) return { turns: 0, byValue: new Map() };
  const where = [...query.where, { any: calls.map((call) => ({ call })) }];
  const open = { ...query, where };
  const [turns, facets] = await Promise.all([
    ledger.countTurns(open),
    by === undefined ? [] : ledger.turnFacets(open, [by], valuesMax),
  ]);
  const values = facets.flatMap(({ values: own }) => own);
  return { turns, byValue: new Map(values.map(({ value, turns: own }) => [value, own])) };
}

/** No fewer than threads are priced. */
const valuesMax = 20_000;
