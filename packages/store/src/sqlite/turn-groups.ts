/**
 * @module TurnGroups: the groups of a page and the names in their turns, as statements of SQLite.
 */
import { textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import { groupPageSql, groupRankSql } from "../ledger/group-order-sql.ts";
import { afterAllTimes, positionIn, usualGroups } from "../ledger/group-orders.ts";
import { groupReads, groupsPage, namedFields, namesMax } from "../ledger/turn-groups.ts";
import type { NameRow } from "../ledger/turn-groups.ts";
import type {
  GroupField,
  GroupOrder,
  GroupPosition,
  GroupsPage,
  GroupsPaging,
  TurnQuery,
} from "../ledger/turn-query.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { timeOrNumberSql, valuesSql } from "./turn-schema.ts";
import { callsOf, figuresOf } from "./turn-figures.ts";
import { whereSql } from "./turn-sql.ts";
import type { SqlPart } from "./turn-sql.ts";

/** A page of groups. */
export async function groupsOf(
  database: SqliteDatabase,
  query: TurnQuery,
  by: GroupField,
  paging: GroupsPaging,
): Promise<GroupsPage> {
  const places = placesOf(database, whereSql(query), by, paging);
  const reads = groupReads(
    {
      turnFigures: async (of, options) => figuresOf(database, whereSql(of), options),
      callFigures: async (of, kind, fields) =>
        callsOf(database, whereSql(of), { kind, by: fields }),
    },
    query,
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
  paging: GroupsPaging,
): readonly GroupPosition[] {
  const { limit, order: { by: orderBy } = usualGroups, aheadFrom = afterAllTimes } = paging;
  const bound: SqlPart["values"][number][] = [];
  const bind = (value: string | number): string => {
    bound.push(value);
    return "?";
  };
  const { beyond, order } = groupPageSql(paging, { number: bind, text: bind });
  const own = timeOrNumberSql("own_time");
  const turns = `turns WHERE ${where.sql}`;
  return database
    .prepare(
      `SELECT value, last, rank FROM (SELECT ${by} AS value,
           coalesce(max(CASE WHEN ${own} < ? THEN ${own} END), max(${own})) AS last,
           ${rankSql(orderBy)} AS rank
         FROM ${orderBy === "p95_ms" ? nthSql(by, turns) : turns} GROUP BY 1)
       WHERE ${beyond} ORDER BY ${order} LIMIT ?`,
    )
    .all(aheadFrom, ...where.values, ...bound, limit + 1)
    .map((row) =>
      positionIn(paging, { value: textOf(row["value"]), last: row["last"], rank: row["rank"] }),
    );
}

function rankSql(by: GroupOrder["by"]): string {
  if (by === "last" || by === "value") return "NULL";
  // Nearest rank; the ceiling of the product in whole numbers.
  if (by === "p95_ms") return "max(CASE WHEN nth = (known * 95 + 99) / 100 THEN duration_ms END)";
  return groupRankSql[by];
}

/** Turns with their place among the known durations of their group, and the number of these. */
function nthSql(by: GroupField, turns: string): string {
  return `(SELECT ${by}, ended_at, received_at, duration_ms, count(duration_ms) OVER own AS known,
    row_number() OVER (own ORDER BY duration_ms IS NULL, duration_ms) AS nth
    FROM ${turns} WINDOW own AS (PARTITION BY ${by}))`;
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
