/** @module TurnOrderValues: the value by which a list of turns goes, as SQL of ClickHouse. */
import {
  codeWeightSql,
  judgedSql,
  textOrderSql,
  verdictRankSql,
  wordsSql,
} from "../ledger/order-sql.ts";
import { isRankOrder, isTextOrder, knownProfiles, requiredStages } from "../ledger/turn-orders.ts";
import type { OrderField, RankOrder } from "../ledger/turn-orders.ts";
import { columnOfList } from "./turn-columns.ts";

const [codes, profiles, kinds] = [
  columnOfList("code"),
  columnOfList("coverage_profile"),
  columnOfList("event_kind"),
];

const rankSql: Readonly<Record<RankOrder, string>> = {
  verdict: verdictRankSql,
  findings: `if(${judgedSql}, arraySum(one -> ${codeWeightSql("one")}, ${codes}), NULL)`,
  stages_missing: `if(notEmpty(${profiles}), ${[
    ...requiredStages.map(
      ({ kind, profiles: own }) =>
        `(hasAny(${profiles}, [${wordsSql(own)}]) AND NOT has(${kinds}, '${kind}'))`,
    ),
    `arrayCount(one -> one NOT IN (${wordsSql(knownProfiles)}), ${profiles})`,
  ].join(" + ")}, NULL)`,
};

/** The value of an order; null is unknown. An unknown text is empty in its column. */
export function orderValueSql(by: OrderField): string {
  if (isTextOrder(by)) return `nullIf(${textOrderSql(by)}, '')`;
  return isRankOrder(by) ? rankSql[by] : by;
}
