/**
 * @module TurnGroups: a page of agents or threads as one statement of ClickHouse: `FINAL` costs as
 * much as all of its sums together. The groups of the page are found first, by time and value only.
 */
import { figureGroupsOf, textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import { afterAllTimes, namedFields, namesMax, pageOf } from "../ledger/turn-groups.ts";
import type {
  GroupedTurns,
  GroupField,
  GroupPlace,
  GroupsPage,
  GroupsPaging,
  NamedField,
  TurnQuestion,
} from "../ledger/turn-question.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import type { ClickHouseBindings } from "./sql-text.ts";
import { columnOfList } from "./turn-columns.ts";
import {
  counted,
  countedSql,
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
  question: TurnQuestion,
  by: GroupField,
  { limit, after, aheadFrom = afterAllTimes }: GroupsPaging,
): Promise<GroupsPage> {
  const bind = bindings();
  const where = whereOf(question, bind);
  const names = namedFields[by].map((field) => `${namesSql(field)} AS names_${field}`);
  const own = "toUnixTimestamp64Micro(own_time)";
  const isPast = `${own} < ${aheadFrom}`;
  const lastSql = `toFloat64(if(countIf(${isPast}) > 0, maxIf(${own}, ${isPast}), max(${own})))`;
  const answer = await engine.query(
    `SELECT * EXCEPT (lasted, verdict_sums, tool_sums), ${percentilesSql}, ${countedSql("verdict")},
  ${countedSql("tool")}
FROM (SELECT toString(${by}) AS value, ${lastSql} AS last, ${figureSql}, ${verdictSql}, ${toolSql},
  ${withoutUsageSql}, toFloat64(uniqExactIf(thread_id, thread_id != '')) AS threads,
  ${names.join(", ")}
FROM turn_ledger FINAL WHERE (${where}) AND ${by} GLOBAL IN (SELECT one FROM
  (SELECT ${by} AS one, ${lastSql} AS at FROM turn_ledger FINAL WHERE ${where}
  GROUP BY one HAVING ${afterSql(after, aheadFrom, bind)}
  ORDER BY at >= ${aheadFrom}, at DESC, one ASC LIMIT ${limit + 1}))
GROUP BY value) ORDER BY last >= ${aheadFrom}, last DESC, value ASC`,
    bind.parameters,
    question.signal,
  );
  const rows = rowsOf(answer);
  const figures = new Map(
    figureGroupsOf(rows, rows.flatMap(verdictRows), { by }).map((one) => [one.value ?? null, one]),
  );
  const groups = rows.slice(0, limit).flatMap((row): readonly GroupedTurns[] => {
    const value = textOf(row["value"]);
    const own = figures.get(value);
    if (own === undefined) return [];
    return [
      {
        ...own,
        value,
        last: Number(row["last"]),
        tool_outcomes: Object.fromEntries(counted(row, "tool")),
        calls_without_usage: Number(row["without_usage"]),
        threads: Number(row["threads"]),
        names: Object.fromEntries(
          namedFields[by].map((field) => [field, row[`names_${field}`] as readonly string[]]),
        ),
      },
    ];
  });
  return pageOf(groups, rows.length > limit ? groups.at(-1) : undefined);
}

/** The groups behind a place. */
function afterSql(
  after: GroupPlace | undefined,
  aheadFrom: number,
  bind: ClickHouseBindings,
): string {
  if (after === undefined) return "true";
  const { last, value } = after;
  const text = value === null ? "''" : bind.text(value);
  const next = `at < toFloat64(${last}) OR (at = toFloat64(${last}) AND one > ${text})`;
  return `at >= ${aheadFrom} ${last >= aheadFrom ? "AND" : "OR"} (${next})`;
}

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
