/** @module TurnGroups: the groups of a page and the names in their turns, as SQL of PostgreSQL. */
import { isListField } from "../ledger/turn-fields.ts";
import { groupPageSql, groupRankSql } from "../ledger/group-order-sql.ts";
import { afterAllTimes, usualGroups } from "../ledger/group-orders.ts";
import { namedFields, namesMax } from "../ledger/turn-groups.ts";
import type { GroupField, GroupOrder, GroupsPaging, TurnQuery } from "../ledger/turn-query.ts";
import type { Bindings } from "./sql-text.ts";
import { columnOfList, timeOrNumberSql } from "./turn-rows.ts";
import { whereOf } from "./turn-where.ts";

/** Selects `value`, `at` and `rank_at` of the groups of a page, and of one more. */
export function placesSql(
  query: TurnQuery,
  by: GroupField,
  paging: GroupsPaging,
  bind: Bindings,
): string {
  const { limit, order: { by: orderBy } = usualGroups, aheadFrom = afterAllTimes } = paging;
  const own = timeOrNumberSql("own_time");
  const from = `${bind.plain(String(aheadFrom))}::bigint`;
  const { beyond, order } = groupPageSql(paging, {
    number: (value) => `${bind.plain(String(value))}::double precision`,
    text: (value) => bind.text(value),
  });
  return `SELECT value, last::text AS at, rank::text AS rank_at FROM (SELECT ${by} AS value,
    coalesce(max(${own}) FILTER (WHERE ${own} < ${from}), max(${own})) AS last,
    (${rankSql(orderBy)})::double precision AS rank
  FROM turn_ledger WHERE ${whereOf(query, bind)} GROUP BY ${by}) AS listed
WHERE ${beyond} ORDER BY ${order} LIMIT ${limit + 1}`;
}

function rankSql(by: GroupOrder["by"]): string {
  if (by === "last" || by === "value") return "NULL";
  // Nearest rank, by the same product and ceiling as the reference.
  if (by === "p95_ms") return "percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ms)";
  return groupRankSql[by];
}

/** Selects `value`, `field` and `name` of the first names, and `count` of the threads. */
export function namesSql(query: TurnQuery, by: GroupField, bind: Bindings): string {
  const named = namedFields[by].map((field) =>
    isListField(field)
      ? `SELECT '${field}', unnest(${columnOfList(field)})`
      : `SELECT '${field}', ${field}`,
  );
  return `WITH own AS (SELECT turn_ledger.*, ${by} AS value FROM turn_ledger
  WHERE ${whereOf(query, bind)}),
named AS (SELECT DISTINCT own.value, each.field, each.name FROM own
  CROSS JOIN LATERAL (${named.join(" UNION ALL ")}) AS each(field, name) WHERE each.name IS NOT NULL),
placed AS (SELECT *, row_number() OVER (PARTITION BY value, field ORDER BY name) AS nth FROM named)
SELECT value, field, name, NULL::text AS count FROM placed WHERE nth <= ${namesMax}
UNION ALL SELECT value, 'threads', NULL, count(DISTINCT thread_id)::text FROM own GROUP BY value`;
}
