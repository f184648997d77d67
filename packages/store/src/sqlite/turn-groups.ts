/** @module TurnGroups: the groups of a page and the names in their turns, as statements of SQLite. */
import { textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import { afterAllTimes, placesInOrder } from "../ledger/group-orders.ts";
import { groupReads, groupsPage, namedFields, namesMax } from "../ledger/turn-groups.ts";
import type { NameRow } from "../ledger/turn-groups.ts";
import type {
  GroupField,
  GroupPlace,
  GroupsPage,
  GroupsPaging,
  TurnQuestion,
} from "../ledger/turn-question.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { timeOrNumberSql, valuesSql } from "./turn-schema.ts";
import { callsOf, figuresOf } from "./turn-figures.ts";
import { whereSql } from "./turn-sql.ts";
import type { SqlPart } from "./turn-sql.ts";

/** A page of groups. */
export async function groupsOf(
  database: SqliteDatabase,
  question: TurnQuestion,
  by: GroupField,
  paging: GroupsPaging,
): Promise<GroupsPage> {
  const where = whereSql(question);
  const places = await placesInOrder(paging, {
    places: (of) => placesOf(database, where, by, of),
    figures: () => figuresOf(database, where, { by }),
    names: () => namesIn(database, where, by),
  });
  const reads = groupReads(
    {
      turnFigures: async (of, options) => figuresOf(database, whereSql(of), options),
      callFigures: async (of, kind, fields) =>
        callsOf(database, whereSql(of), { kind, by: fields }),
    },
    question,
    by,
    async (of) => namesIn(database, whereSql(of), by),
  );
  return groupsPage(places, paging.limit, reads);
}

/** The groups of a page, and one more. */
function placesOf(
  database: SqliteDatabase,
  where: SqlPart,
  by: GroupField,
  { limit, after, aheadFrom = afterAllTimes }: GroupsPaging,
): readonly GroupPlace[] {
  const beyond = after === undefined ? { sql: "1", values: [] } : afterSql(after, aheadFrom);
  const own = timeOrNumberSql("own_time");
  return database
    .prepare(
      `SELECT value, last FROM (SELECT ${by} AS value,
           coalesce(max(CASE WHEN ${own} < ? THEN ${own} END), max(${own})) AS last
         FROM turns WHERE ${where.sql} GROUP BY 1)
       WHERE ${beyond.sql} ORDER BY last >= ?, last DESC, value ASC LIMIT ?`,
    )
    .all(aheadFrom, ...where.values, ...beyond.values, aheadFrom, limit + 1)
    .map(({ value, last }) => ({ value: textOf(value), last: Number(last) }));
}

function afterSql({ last, value }: GroupPlace, aheadFrom: number): SqlPart {
  const same = value === null ? "value IS NOT NULL" : "value > ?";
  const values = value === null ? [] : [value];
  const ahead = last >= aheadFrom;
  return {
    sql: `(last >= ?) ${ahead ? "AND" : "OR"} (last < ? OR (last = ? AND ${same}))`,
    values: [aheadFrom, last, last, ...values],
  };
}

/** The first names in the turns of each group, and the number of its threads. */
function namesIn(database: SqliteDatabase, where: SqlPart, by: GroupField): readonly NameRow[] {
  const fields = namedFields[by];
  const named = fields.map((field) =>
    isListField(field)
      ? `SELECT own.value, '${field}' AS field, held.value AS name
           FROM own CROSS JOIN ${valuesSql([field])} held ON held.turn = own.id
           WHERE held.field = '${field}'`
      : `SELECT value, '${field}' AS field, ${field} AS name FROM own WHERE ${field} IS NOT NULL`,
  );
  return database
    .prepare(
      `WITH own AS MATERIALIZED (SELECT id, ${by} AS value, thread_id,
           ${fields.filter((field) => !isListField(field)).join(", ")}
         FROM turns WHERE ${where.sql}),
       placed AS (SELECT *, row_number() OVER (PARTITION BY value, field ORDER BY name) AS nth
         FROM (${named.join(" UNION ")}))
       SELECT value, field, name, NULL AS count FROM placed WHERE nth <= ${namesMax}
       UNION ALL SELECT value, 'threads', NULL, count(DISTINCT thread_id) FROM own GROUP BY 1`,
    )
    .all(...where.values)
    .map((row) => ({
      value: textOf(row["value"]),
      field: String(row["field"]),
      name: textOf(row["name"]),
      count: Number(row["count"]),
    }));
}
