/**
 * @module TurnOrderValues: the value by which a list of turns goes, as SQL of SQLite. What a rank
 * needs of a turn's lists is summed for all turns at once: the values are stored by value, and not
 * by turn.
 */
import {
  codeWeightSql,
  judgedSql,
  textOrderSql,
  verdictRankSql,
  wordsSql,
} from "../ledger/order-sql.ts";
import { isRankOrder, isTextOrder, knownProfiles, requiredStages } from "../ledger/turn-orders.ts";
import type { OrderField, RankOrder } from "../ledger/turn-orders.ts";
import { timeOrNumberSql } from "./turn-schema.ts";

const declared = "field = 'coverage_profile'";

/** True where a value of the turn meets the condition. */
const some = (condition: string): string => `max(${condition})`;

const missingSql = [
  ...requiredStages.map(
    ({ kind, profiles }) =>
      `(${some(`${declared} AND value IN (${wordsSql(profiles)})`)}
      AND NOT ${some(`field = 'event_kind' AND value = '${kind}'`)})`,
  ),
  `sum(${declared} AND value NOT IN (${wordsSql(knownProfiles)}))`,
].join(" + ");

const rankSql: Readonly<Record<RankOrder, { readonly value: string; readonly sums?: string }>> = {
  verdict: { value: verdictRankSql },
  findings: {
    value: `CASE WHEN ${judgedSql} THEN coalesce(summed, 0) END`,
    sums: `SELECT turn, sum(${codeWeightSql("value")}) AS summed FROM turn_values
      WHERE field = 'code' GROUP BY turn`,
  },
  stages_missing: {
    value: "summed",
    sums: `SELECT turn, ${missingSql} AS summed FROM turn_values
      WHERE field IN ('coverage_profile', 'event_kind') GROUP BY turn HAVING ${some(declared)}`,
  },
};

/** The value of an order; null is unknown. */
export function orderValueSql(by: OrderField): string {
  if (isTextOrder(by)) return textOrderSql(by);
  return isRankOrder(by) ? rankSql[by].value : timeOrNumberSql(by);
}

/** The turns, with what the value of an order needs. */
export function orderedTurnsSql(by: OrderField): string {
  const sums = isRankOrder(by) ? rankSql[by].sums : undefined;
  return sums === undefined ? "turns" : `turns LEFT JOIN (${sums}) AS sums ON sums.turn = turns.id`;
}
