/**
 * @module TurnFigures: facets, figures of turns and of calls as statements of SQLite. The engine
 * computes sums, in index order where possible; the values for percentiles are read as lists and
 * sorted here, which costs half as much as a window function.
 */
import type { TurnCall } from "@turnproof/evidence";

import { isCallOwn } from "../ledger/call-usage.ts";
import { callFiguresOf, callKeys, figureGroupsOf } from "../ledger/figure-rows.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, StoredTime, TextField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallFigures,
  CallOptions,
  CountOptions,
  FigureGroup,
  FigureOptions,
} from "../ledger/turn-query.ts";
import { heldJoin, heldUsageSql, rareColumns, tierSql } from "./held-usage.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { addedUp, withPercentiles } from "./summed-rows.ts";
import { emptyListSql, valuesSql } from "./turn-schema.ts";
import type { SqlPart } from "./turn-sql.ts";

/** Columns of the matching turns, once for each value; a turn without one has null. */
function valuedSql(
  where: SqlPart,
  field: TextField | ListField | undefined,
  { sql: columns, values: own }: SqlPart,
): SqlPart {
  if (field === undefined || !isListField(field)) {
    const value = field ?? "NULL";
    const sql = `SELECT ${value} AS value, ${columns} FROM turns WHERE ${where.sql}`;
    return { sql, values: [...own, ...where.values] };
  }
  return {
    sql: `SELECT own.value AS value, ${columns} FROM ${valuesSql([field])} own
            JOIN turns ON turns.id = own.turn WHERE own.field = ? AND (${where.sql})
          UNION ALL SELECT NULL, ${columns} FROM turns
            WHERE ${emptyListSql(field)} AND (${where.sql})`,
    values: [...own, field, ...where.values, ...own, ...where.values],
  };
}

/** Columns without a parameter. */
const plain = (sql: string): SqlPart => ({ sql, values: [] });

const turnSums: Readonly<Record<string, string>> = {
  turns: "count(*)",
  errors: "sum(has_error)",
  duration_unknown: "sum(duration_ms IS NULL)",
  tool_results_sum: "sum(tool_results)",
  tool_limited_sum: "sum(tool_limited)",
  tool_failed_sum: "sum(tool_failed)",
  input_sum: "sum(input_tokens)",
  output_sum: "sum(output_tokens)",
  input_unknown: "sum(input_tokens IS NULL)",
  output_unknown: "sum(output_tokens IS NULL)",
  tokens_unknown: "sum(input_tokens IS NULL AND output_tokens IS NULL)",
  cached_sum: "sum(CASE WHEN input_tokens IS NOT NULL THEN cached_tokens END)",
  cached_of_sum: "sum(CASE WHEN cached_tokens IS NOT NULL THEN input_tokens END)",
  cached_unknown: "sum(input_tokens IS NULL OR cached_tokens IS NULL)",
  first_at: "min(ended_at)",
  last_at: "max(ended_at)",
};

const summedColumns = `verdict, has_error, duration_ms, tool_results, tool_limited, tool_failed,
  input_tokens, output_tokens, cached_tokens`;
/** The own time of turns, and that of the intervals. */
const timesSql = (time: StoredTime): string => [...new Set(["ended_at", time])].join(", ");

function sumsSql(sums: Readonly<Record<string, string>>): string {
  return Object.entries(sums)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(", ");
}

/** Counts by value and interval. @param also counts those that match it as well */
export function countRows(
  database: SqliteDatabase,
  where: SqlPart,
  { by, everyMs }: Pick<CountOptions, "by" | "everyMs">,
  also: SqlPart,
): readonly FigureRow[] {
  const { turns = "", errors = "", first_at = "", last_at = "" } = turnSums;
  const counts = sumsSql({ turns, errors, first_at, last_at, also: "sum(matches)" });
  const columns = `has_error, ended_at, coalesce(${also.sql}, 0) AS matches`;
  const valued = valuedSql(where, by, { ...also, sql: columns });
  return database
    .prepare(
      `SELECT value, ${stretchSql(everyMs)} AS stretch, ${counts} FROM (${valued.sql})
       GROUP BY 1, 2`,
    )
    .all(...valued.values);
}

/** Figures by value and interval. */
export function figuresOf(
  database: SqliteDatabase,
  where: SqlPart,
  options: FigureOptions,
): readonly FigureGroup[] {
  const { by, everyMs, time = "ended_at" } = options;
  const stretch = stretchSql(everyMs, time);
  const valued = valuedSql(where, by, plain(`${summedColumns}, ${timesSql(time)}`));
  const parts = database
    .prepare(
      `SELECT value, ${stretch} AS stretch, verdict, ${sumsSql(turnSums)} FROM (${valued.sql})
       GROUP BY 1, 2, 3`,
    )
    .all(...valued.values);
  const timed = valuedSql(where, by, plain(`duration_ms, ${timesSql(time)}`));
  const durations = listsOf(
    database,
    `SELECT value, ${stretch}, duration_ms FROM (${timed.sql}) WHERE duration_ms IS NOT NULL`,
    timed.values,
  );
  const keys = ["value", "stretch"] as const;
  const groups = withPercentiles(addedUp(parts, keys, Object.keys(turnSums)), keys, durations);
  return figureGroupsOf(groups, parts, options);
}

function stretchSql(everyMs: number | undefined, time: StoredTime = "ended_at"): string {
  return everyMs === undefined ? "0" : floorSql(`coalesce(${time}, 0)`, everyMs * 1_000);
}

/** Division that rounds down, for a column that may be negative. */
function floorSql(column: string, by: number): string {
  return `((${column} - ((${column} % ${by}) + ${by}) % ${by}) / ${by})`;
}

const plainSums: Readonly<Record<string, string>> = {
  calls: "count(*)",
  duration_unknown: "sum(duration_ms IS NULL)",
  input_sum: "sum(input_tokens)",
  output_sum: "sum(output_tokens)",
  cached_sum: "sum(cached_tokens)",
  tokens_unknown: "sum(input_tokens IS NULL AND output_tokens IS NULL)",
};

/** Figures of calls by fields of the call or of its turn. */
export function callsOf(
  database: SqliteDatabase,
  where: SqlPart,
  requested: {
    readonly kind: TurnCall["kind"];
    readonly by: readonly CallField[];
    readonly options?: CallOptions | undefined;
  },
): readonly CallFigures[] {
  const { kind, by, options = {} } = requested;
  const { everyMs, inputSteps } = options;
  const names = [...by.map((field) => `by_${field}`), ...callKeys(options)];
  const columns = [
    "1 AS one",
    ...by.map((field) => `${columnOf(field)} AS by_${field}`),
    ...(everyMs === undefined ? [] : [`${stretchSql(everyMs)} AS stretch`]),
    ...(inputSteps === undefined ? [] : usageColumns(inputSteps)),
  ];
  const callSums = inputSteps === undefined ? plainSums : { ...plainSums, ...usageSums };
  const ofRelease = by.includes("release");
  const ofTurn = everyMs !== undefined || by.some((field) => !isCallOwn(field));
  const every = where.sql === "1";
  const joins = [
    ofTurn ? "JOIN turns ON turns.id = calls.turn" : "",
    inputSteps === undefined ? "" : heldJoin,
    ofRelease ? "LEFT JOIN releases ON releases.turn = calls.turn" : "",
  ];
  const within = every ? "1" : `calls.turn IN (SELECT id FROM turns WHERE ${where.sql})`;
  const called = `SELECT ${columns.join(", ")}, coalesce(calls.outcome, 'unknown') AS stated,
      calls.duration_ms, calls.input_tokens, calls.output_tokens, calls.cached_tokens
    FROM turn_calls calls ${joins.join(" ")} WHERE calls.kind = ? AND ${within}`;
  // Materialized, so that the engine builds an index on it.
  const first = ofRelease
    ? `WITH releases AS MATERIALIZED
         (SELECT turn, value FROM turn_values WHERE field = 'release')`
    : "";
  const values = [kind, ...(every ? [] : where.values)];
  const keys = ["one", ...names];
  const parts = database
    .prepare(
      `${first} SELECT ${keys.join(", ")}, stated, ${sumsSql(callSums)} FROM (${called})
       GROUP BY ${keys.join(", ")}, stated`,
    )
    .all(...values);
  const durations = listsOf(
    database,
    `${first} SELECT ${keys.join(", ")}, duration_ms FROM (${called})
     WHERE duration_ms IS NOT NULL`,
    values,
  );
  const groups = withPercentiles(addedUp(parts, keys, Object.keys(callSums)), keys, durations);
  return callFiguresOf(groups, parts, by, options);
}

function columnOf(field: CallField): string {
  if (isCallOwn(field)) return `calls.${field}`;
  return field === "release" ? "releases.value" : `turns.${field}`;
}

/** Sums over the counts that only the record has. */
const usageSums: Readonly<Record<string, string>> = {
  write_sum: "sum(cache_write_tokens)",
  reasoning_sum: "sum(reasoning_tokens)",
};

/** What the price of a call depends on, and the counts that only its record has. */
function usageColumns(steps: readonly number[]): readonly string[] {
  const { step, known } = heldUsageSql(steps);
  return [`${tierSql} AS use_tier`, `${step} AS use_step`, `${known} AS use_known`, ...rareColumns];
}

/** Rows as lists of their columns. */
function listsOf(
  database: SqliteDatabase,
  sql: string,
  values: SqlPart["values"],
): readonly (readonly unknown[])[] {
  const statement = database.prepare(sql);
  if (statement.setReturnArrays === undefined) {
    return statement.all(...values).map((row) => Object.values(row));
  }
  statement.setReturnArrays(true);
  return statement.all(...values) as unknown as readonly (readonly unknown[])[];
}
