/** @module TurnGroups: the groups of a page and the names in their turns, as SQL of PostgreSQL. */
import { isListField } from "../ledger/turn-fields.ts";
import { afterAllTimes } from "../ledger/group-orders.ts";
import { namedFields, namesMax } from "../ledger/turn-groups.ts";
import type {
  GroupField,
  GroupPlace,
  GroupsPaging,
  TurnQuestion,
} from "../ledger/turn-question.ts";
import type { Bindings } from "./sql-text.ts";
import { columnOfList, timeOrNumberSql } from "./turn-rows.ts";
import { whereOf } from "./turn-where.ts";

/** Selects `value` and `last` of the groups of a page, and of one more. */
export function placesSql(
  question: TurnQuestion,
  by: GroupField,
  { limit, after, aheadFrom = afterAllTimes }: GroupsPaging,
  bind: Bindings,
): string {
  const own = timeOrNumberSql("own_time");
  const from = `${bind.plain(String(aheadFrom))}::bigint`;
  const last = `coalesce(max(${own}) FILTER (WHERE ${own} < ${from}), max(${own}))`;
  const ahead = `${last} >= ${from}`;
  const having =
    after === undefined
      ? "true"
      : `${ahead} ${after.last >= aheadFrom ? "AND" : "OR"} (${afterSql(after, { by, last }, bind)})`;
  return `SELECT ${by} AS value, ${last}::text AS last FROM turn_ledger
WHERE ${whereOf(question, bind)} GROUP BY ${by} HAVING ${having}
ORDER BY ${ahead}, ${last} DESC, ${by} ASC NULLS FIRST LIMIT ${limit + 1}`;
}

function afterSql(
  { last: time, value }: GroupPlace,
  { by, last }: { readonly by: string; readonly last: string },
  bind: Bindings,
): string {
  const at = `${bind.plain(String(time))}::bigint`;
  const beyond = value === null ? `${by} IS NOT NULL` : `${by} > ${bind.text(value)}`;
  return `${last} < ${at} OR (${last} = ${at} AND ${beyond})`;
}

/** Selects `value`, `field` and `name` of the first names, and `count` of the threads. */
export function namesSql(question: TurnQuestion, by: GroupField, bind: Bindings): string {
  const named = namedFields[by].map((field) =>
    isListField(field)
      ? `SELECT '${field}', unnest(${columnOfList(field)})`
      : `SELECT '${field}', ${field}`,
  );
  return `WITH own AS (SELECT turn_ledger.*, ${by} AS value FROM turn_ledger
  WHERE ${whereOf(question, bind)}),
named AS (SELECT DISTINCT own.value, each.field, each.name FROM own
  CROSS JOIN LATERAL (${named.join(" UNION ALL ")}) AS each(field, name) WHERE each.name IS NOT NULL),
placed AS (SELECT *, row_number() OVER (PARTITION BY value, field ORDER BY name) AS nth FROM named)
SELECT value, field, name, NULL::text AS count FROM placed WHERE nth <= ${namesMax}
UNION ALL SELECT value, 'threads', NULL, count(DISTINCT thread_id)::text FROM own GROUP BY value`;
}
