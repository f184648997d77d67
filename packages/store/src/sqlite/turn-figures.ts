/** @module TurnFigures: facets, figures of turns and of calls as statements of SQLite. */
import type { TurnCall } from "@turnproof/evidence";

import { callFiguresOf, figureGroupsOf, textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, TextField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallFigures,
  FigureGroup,
  FigureOptions,
  TurnFacet,
} from "../ledger/turn-question.ts";
import type { SqliteDatabase, SqlRow } from "./sqlite-database.ts";
import type { SqlPart } from "./turn-sql.ts";

/** Columns of turns that figures are made of. */
const summedColumns = `verdict, has_error, duration_ms, tool_results, tool_limited, tool_failed,
  input_tokens, output_tokens, cached_tokens, ended_at`;

/** `columns` of the turns that pass, once for each value; a turn without one has null. */
function valuedSql(
  where: SqlPart,
  field: TextField | ListField | undefined,
  columns: string,
): SqlPart {
  if (field === undefined || !isListField(field)) {
    const value = field ?? "NULL";
    const sql = `SELECT ${value} AS value, ${columns} FROM turns WHERE ${where.sql}`;
    return { sql, values: where.values };
  }
  return {
    sql: `SELECT own.value AS value, passed.* FROM
            (SELECT id, ${columns} FROM turns WHERE ${where.sql}) passed
          LEFT JOIN turn_values own ON own.turn = passed.id AND own.field = ?`,
    values: [...where.values, field],
  };
}

/** Values and how many turns say each. A list is read in the order of its index, not turn by turn. */
function countedSql(where: SqlPart, field: TextField | ListField): SqlPart {
  if (!isListField(field)) {
    const sql = `SELECT ${field} AS value, count(*) AS turns FROM turns WHERE ${where.sql} GROUP BY 1`;
    return { sql, values: where.values };
  }
  return {
    sql: `SELECT value, count(*) AS turns FROM turn_values
            WHERE field = ? AND turn IN (SELECT id FROM turns WHERE ${where.sql}) GROUP BY value
          UNION ALL SELECT NULL, count(*) FROM turns
            WHERE (${where.sql}) AND id NOT IN (SELECT turn FROM turn_values WHERE field = ?)
            HAVING count(*) > 0`,
    values: [field, ...where.values, ...where.values, field],
  };
}

/** The values of a field with their counts. */
export function facetOf(
  database: SqliteDatabase,
  where: SqlPart,
  field: TextField | ListField,
  valuesMax: number,
): TurnFacet {
  const counted = countedSql(where, field);
  const rows = database
    .prepare(
      `SELECT value, turns, count(*) OVER () AS total FROM (${counted.sql})
       ORDER BY turns DESC, value ASC LIMIT ?`,
    )
    .all(...counted.values, valuesMax);
  return {
    field,
    values: rows.map((row) => ({ value: textOf(row["value"]), turns: Number(row["turns"]) })),
    total: Number(rows[0]?.["total"] ?? 0),
  };
}

/** The rank of a percentile among `n` values, as the reference counts it. */
function rankSql(share: number): string {
  const exact = `(${share} * n)`;
  return `max(1, CAST(${exact} AS INTEGER) + (${exact} > CAST(${exact} AS INTEGER)))`;
}

const shares = [
  ["p50_ms", 0.5],
  ["p95_ms", 0.95],
  ["p99_ms", 0.99],
] as const;

/** Sums of each group of `columns` over the rows of `from`, with percentiles of `duration_ms`. */
function withPercentiles(from: string, columns: string, sums: string): string {
  const picked = shares.map(
    ([name, share]) => `max(CASE WHEN nth = ${rankSql(share)} THEN duration_ms END) AS ${name}`,
  );
  // What is unknown stands behind what is known, so the known ones have the first places.
  return `SELECT ${columns}, ${sums}, ${picked.join(", ")} FROM (
      SELECT *, count(duration_ms) OVER (PARTITION BY ${columns}) AS n,
        row_number() OVER (PARTITION BY ${columns} ORDER BY duration_ms IS NULL, duration_ms) AS nth
      FROM ${from}
    ) GROUP BY ${columns}`;
}

const sumsSql = `count(*) AS turns, sum(has_error) AS errors,
  sum(duration_ms IS NULL) AS duration_unknown, sum(tool_results) AS tool_results_sum,
  sum(tool_limited) AS tool_limited_sum, sum(tool_failed) AS tool_failed_sum,
  sum(input_tokens) AS input_sum, sum(output_tokens) AS output_sum,
  sum(input_tokens IS NULL AND output_tokens IS NULL) AS tokens_unknown,
  sum(CASE WHEN input_tokens IS NOT NULL THEN cached_tokens END) AS cached_sum,
  sum(CASE WHEN cached_tokens IS NOT NULL THEN input_tokens END) AS cached_of_sum,
  min(ended_at) AS first_at, max(ended_at) AS last_at`;

/** Figures by value and stretch. */
export function figuresOf(
  database: SqliteDatabase,
  where: SqlPart,
  options: FigureOptions,
): readonly FigureGroup[] {
  const { by, everyMs } = options;
  const valued = valuedSql(where, by, summedColumns);
  const stretch = everyMs === undefined ? "0" : floorSql("ended_at", everyMs * 1_000);
  const grouped = `WITH grouped AS (SELECT *, ${stretch} AS stretch FROM (${valued.sql}))`;
  const all = (sql: string): readonly SqlRow[] =>
    database.prepare(`${grouped} ${sql}`).all(...valued.values);
  const verdicts = all(`SELECT value, stretch, verdict, count(*) AS turns FROM grouped
    GROUP BY value, stretch, verdict`);
  const groups = all(withPercentiles("grouped", "value, stretch", sumsSql));
  return figureGroupsOf(groups, verdicts, options);
}

/** Division that rounds down, of a column that may be negative. */
function floorSql(column: string, by: number): string {
  return `((${column} - ((${column} % ${by}) + ${by}) % ${by}) / ${by})`;
}

/** Figures of calls by fields of the call or of its turn. */
export function callsOf(
  database: SqliteDatabase,
  where: SqlPart,
  { kind, by }: { readonly kind: TurnCall["kind"]; readonly by: readonly CallField[] },
): readonly CallFigures[] {
  const columns = by.map((field) => `${columnOf(field)} AS by_${field}`);
  const names = ["one", ...by.map((field) => `by_${field}`)].join(", ");
  const releases = by.includes("release")
    ? "LEFT JOIN turn_values releases ON releases.turn = passed.id AND releases.field = 'release'"
    : "";
  const grouped = `WITH grouped AS (
      SELECT ${["1 AS one", ...columns].join(", ")}, calls.outcome, calls.duration_ms,
        calls.input_tokens, calls.output_tokens, calls.cached_tokens
      FROM (SELECT id, agent_id FROM turns WHERE ${where.sql}) passed
      JOIN turn_calls calls ON calls.turn = passed.id AND calls.kind = ? ${releases}
    )`;
  const all = (sql: string): readonly SqlRow[] =>
    database.prepare(`${grouped} ${sql}`).all(...where.values, kind);
  const outcomes = all(
    `SELECT ${names}, coalesce(outcome, 'unknown') AS said, count(*) AS calls FROM grouped
     GROUP BY ${names}, said`,
  );
  const sums = `count(*) AS calls, sum(duration_ms IS NULL) AS duration_unknown,
    sum(input_tokens) AS input_sum, sum(output_tokens) AS output_sum,
    sum(cached_tokens) AS cached_sum,
    sum(input_tokens IS NULL AND output_tokens IS NULL) AS tokens_unknown`;
  return callFiguresOf(all(withPercentiles("grouped", names, sums)), outcomes, by);
}

function columnOf(field: CallField): string {
  if (field === "agent_id") return "passed.agent_id";
  return field === "release" ? "releases.value" : `calls.${field}`;
}
