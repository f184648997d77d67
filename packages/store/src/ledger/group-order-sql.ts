/**
 * @module GroupOrderSql: the order of a list of agents or threads, and the positions behind the
 * start of a page, as SQL that PostgreSQL and SQLite have. The engine sorts and limits: a page
 * reads no group that is not on it.
 */
import { afterAllTimes, isFromEnd, isRanked, orderKey, usualGroups } from "./group-orders.ts";
import { judgedSql } from "./order-sql.ts";
import type { GroupOrder, GroupsPaging } from "./turn-query.ts";

/** SQL of a value that the statement does not contain, in the order of the statement. */
export interface GroupBindings {
  readonly number: (value: number) => string;
  readonly text: (value: string) => string;
}

/**
 * The groups behind the start of the page, and the order of all, for rows with `value`, `last` and
 * `rank`.
 */
export function groupPageSql(
  paging: GroupsPaging,
  bind: GroupBindings,
): { readonly beyond: string; readonly order: string } {
  const { order = usualGroups, aheadFrom = afterAllTimes } = paging;
  const late = (): string => {
    if (order.by === "last") return `last >= ${bind.number(aheadFrom)}`;
    return order.by === "value" ? "value IS NULL" : "rank IS NULL";
  };
  const number = order.by === "last" ? "last" : isRanked(order) ? "coalesce(rank, 0)" : undefined;
  const beyond = afterSql(paging, { late, number }, bind);
  const value = isFromEnd(order) ? "value DESC NULLS LAST" : "value ASC NULLS FIRST";
  const numbers = number === undefined ? [] : [`${number} ${order.ascending ? "ASC" : "DESC"}`];
  return { beyond, order: [late(), ...numbers, value].join(", ") };
}

interface Columns {
  readonly late: () => string;
  /** Absent where groups go by their value alone. */
  readonly number: string | undefined;
}

function afterSql(paging: GroupsPaging, { late, number }: Columns, bind: GroupBindings): string {
  const { after, order = usualGroups } = paging;
  if (after === undefined) return "1 = 1";
  const place = orderKey(after, paging);
  const join = place.late ? "AND" : "OR";
  const first = `${late()} ${join}`;
  const beyond = (): string => {
    if (isFromEnd(order))
      return after.value === null ? "1 = 0" : `value < ${bind.text(after.value)}`;
    return after.value === null ? "value IS NOT NULL" : `value > ${bind.text(after.value)}`;
  };
  if (number === undefined) return `${first} (${beyond()})`;
  const sign = order.ascending === true ? ">" : "<";
  const further = `${number} ${sign} ${bind.number(place.number)}`;
  return `${first} (${further} OR (${number} = ${bind.number(place.number)} AND ${beyond()}))`;
}

/** The figure of a group by which an order goes, besides the percentile; null is unknown. */
export const groupRankSql: Readonly<
  Record<Exclude<GroupOrder["by"], "last" | "value" | "p95_ms">, string>
> = {
  turns: "count(*)",
  failed_share: `CAST(count(CASE WHEN verdict = 'failed' THEN 1 END) AS double precision)
    / nullif(count(CASE WHEN ${judgedSql} THEN 1 END), 0)`,
  errors: "count(CASE WHEN has_error THEN 1 END)",
  threads: "count(DISTINCT thread_id)",
  tool_failed: "coalesce(sum(tool_failed), 0)",
  tokens: `CASE WHEN count(input_tokens) + count(output_tokens) > 0
    THEN coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0) END`,
};
