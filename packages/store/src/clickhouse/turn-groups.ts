/**
 * @module TurnGroups: a page of agents or threads as one statement of ClickHouse: `FINAL` costs as
 * much as all of its sums together. The groups of the page are found first, by time and value only.
 */
import { figureGroupsOf, textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import {
  afterAllTimes,
  isFromEnd,
  isRanked,
  orderKey,
  positionsOfPage,
  rankOf,
  usualGroups,
} from "../ledger/group-orders.ts";
import { judgedSql } from "../ledger/order-sql.ts";
import { namedFields, namesMax, pageOf } from "../ledger/turn-groups.ts";
import type {
  GroupedTurns,
  GroupField,
  GroupOrder,
  GroupsPage,
  GroupsPaging,
  NamedField,
  TurnQuery,
} from "../ledger/turn-query.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import type { ClickHouseBindings } from "./sql-text.ts";
import { columnOfList } from "./turn-columns.ts";
import {
  counted,
  countedSql,
  durationsSql,
  figureSql,
  percentilesSql,
  rowsOf,
  verdictRows,
  verdictSql,
} from "./turn-figures.ts";
import { whereOf } from "./turn-where.ts";

/** A page of groups. */
export async function groupsOf(
  engine: Engine,
  query: TurnQuery,
  by: GroupField,
  paging: GroupsPaging,
): Promise<GroupsPage> {
  const { limit, order = usualGroups, aheadFrom = afterAllTimes } = paging;
  const bind = bindings();
  const where = whereOf(query, bind);
  const names = namedFields[by].map((field) => `${namesSql(field)} AS names_${field}`);
  const own = "toUnixTimestamp64Micro(own_time)";
  const isPast = `${own} < ${aheadFrom}`;
  const lastSql = `toFloat64(if(countIf(${isPast}) > 0, maxIf(${own}, ${isPast}), max(${own})))`;
  const places = placesSql({ where, by, lastSql, paging }, bind);
  const answer = await engine.query(
    `SELECT * EXCEPT (lasted, verdict_sums, tool_sums), ${percentilesSql}, ${countedSql("verdict")},
  ${countedSql("tool")}
FROM (SELECT toString(${by}) AS value, ${lastSql} AS last, ${figureSql}, ${verdictSql}, ${toolSql},
  ${withoutUsageSql}, ${threadsSql} AS threads, ${names.join(", ")}
FROM turn_ledger FINAL WHERE (${where}) AND ${by} GLOBAL IN (SELECT one FROM (${places}))
GROUP BY value)`,
    bind.parameters,
    query.signal,
  );
  const rows = rowsOf(answer);
  const figures = new Map(
    figureGroupsOf(rows, rows.flatMap(verdictRows), { by }).map((one) => [one.value ?? null, one]),
  );
  const all = rows.flatMap((row): readonly GroupedTurns[] => {
    const value = textOf(row["value"]);
    const own = figures.get(value);
    if (own === undefined) return [];
    const threads = Number(row["threads"]);
    return [
      {
        ...own,
        value,
        last: Number(row["last"]),
        tool_outcomes: Object.fromEntries(counted(row, "tool")),
        calls_without_usage: Number(row["without_usage"]),
        threads,
        ...(isRanked(order) ? { rank: rankOf(order, own, threads) } : {}),
        names: Object.fromEntries(
          namedFields[by].map((field) => [field, row[`names_${field}`] as readonly string[]]),
        ),
      },
    ];
  });
  const groups = positionsOfPage(all, paging).slice(0, limit);
  return pageOf(groups, all.length > limit ? groups.at(-1) : undefined);
}

interface Places {
  readonly where: string;
  readonly by: GroupField;
  readonly lastSql: string;
  readonly paging: GroupsPaging;
}

/** Selects the values of the groups of a page, and of one more. */
function placesSql({ where, by, lastSql, paging }: Places, bind: ClickHouseBindings): string {
  const { limit, order = usualGroups, aheadFrom = afterAllTimes } = paging;
  const late =
    order.by === "last"
      ? `at >= ${aheadFrom}`
      : order.by === "value"
        ? "one = ''"
        : "isNull(rank_of)";
  // Not a plain number: that would name a column by its place.
  const number =
    order.by === "last"
      ? "at"
      : order.by === "value"
        ? "toFloat64(length(one) * 0)"
        : "assumeNotNull(coalesce(rank_of, 0))";
  const [down, fromEnd] = [order.ascending === true ? "ASC" : "DESC", isFromEnd(order)];
  return `SELECT ${by} AS one, ${lastSql} AS at, ${rankSql[order.by] ?? "NULL"} AS rank_of
  FROM turn_ledger FINAL WHERE ${where} GROUP BY one
  HAVING ${afterSql(paging, { late, number }, bind)}
  ORDER BY ${late}, ${number} ${down}, one ${fromEnd ? "DESC" : "ASC"} LIMIT ${limit + 1}`;
}

/** The groups behind the start of a page. */
function afterSql(
  paging: GroupsPaging,
  { late, number }: { readonly late: string; readonly number: string },
  bind: ClickHouseBindings,
): string {
  const { after, order = usualGroups } = paging;
  if (after === undefined) return "true";
  const place = orderKey(after, paging);
  const text = after.value === null ? "''" : bind.text(after.value);
  const at = `toFloat64(${place.number})`;
  const next =
    `${number} ${order.ascending === true ? ">" : "<"} ${at} OR ` +
    `(${number} = ${at} AND one ${isFromEnd(order) ? "<" : ">"} ${text})`;
  return `${late} ${place.late ? "AND" : "OR"} (${next})`;
}

const threadsSql = "toFloat64(uniqExactIf(thread_id, thread_id != ''))";

/** The figure of a group by which an order goes; NULL is unknown. */
const rankSql: Readonly<Partial<Record<GroupOrder["by"], string>>> = {
  turns: "toFloat64(count())",
  failed_share: `if(countIf(${judgedSql}) = 0, NULL,
    toFloat64(countIf(verdict = 'failed')) / toFloat64(countIf(${judgedSql})))`,
  errors: "toFloat64(countIf(has_error))",
  p95_ms: `if(empty(${durationsSql}), NULL,
    ${durationsSql}[toUInt64(greatest(1, ceil(0.95 * length(${durationsSql}))))])`,
  threads: threadsSql,
  tool_failed: "toFloat64(coalesce(sum(tool_failed), 0))",
  tokens: `if(isNull(sum(input_tokens)) AND isNull(sum(output_tokens)), NULL,
    toFloat64(coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0)))`,
};

const toolOutcomes = `arrayMap(o -> if(o = '', 'unknown', toString(o)),
    arrayFilter((o, k) -> k = 'tool', call_outcome, call_kind))`;

const toolSql = `sumMap(${toolOutcomes}, arrayMap(o -> toFloat64(1), ${toolOutcomes})) AS tool_sums`;

const withoutUsageSql = `toFloat64(sum(arrayCount((k, i, o) -> k = 'model' AND isNull(i) AND isNull(o),
    call_kind, call_input_tokens, call_output_tokens))) AS without_usage`;

function namesSql(field: NamedField): string {
  const all = isListField(field)
    ? `groupUniqArrayArray(arrayMap(x -> toString(x), ${columnOfList(field)}))`
    : `groupUniqArrayIf(toString(${field}), ${field} != '')`;
  return `arraySlice(arraySort(${all}), 1, ${namesMax})`;
}
