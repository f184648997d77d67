/** @module TurnFigures: counts, figures of turns and of calls as statements of ClickHouse. */
import type { TurnCall } from "@turnproof/evidence";

import { isCallOwn, usageSql } from "../ledger/call-usage.ts";
import { callFiguresOf, callKeys, countGroupsOf, figureGroupsOf } from "../ledger/figure-rows.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, StoredTime, TextField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallFigures,
  CallOptions,
  CountGroup,
  CountOptions,
  FigureGroup,
  FigureOptions,
  TurnQuery,
} from "../ledger/turn-query.ts";
import type { EngineAnswer, Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import { columnOfList } from "./turn-columns.ts";
import { conditionSql, whereOf } from "./turn-where.ts";

/** A field as a column with one value per row; a turn with several values has several rows. */
function valueOf(field: TextField | ListField): string {
  if (!isListField(field)) return `toString(${field})`;
  const column = columnOfList(field);
  return `arrayJoin(arrayMap(x -> toString(x), if(empty(${column}), [''], ${column})))`;
}

/** The rows of an answer. */
export function rowsOf({ rows, columns }: EngineAnswer): FigureRow[] {
  return Array.from({ length: rows }, (_, at) =>
    Object.fromEntries([...columns].map(([name, values]) => [name, values[at]])),
  );
}

/** A sum, or NULL without a value; with `also`, over the rows in which that is known, too. */
function sumOf(column: string, also?: string): string {
  return also === undefined ? `sum(${column})` : `sumIf(${column}, isNotNull(${also}))`;
}

/** Nearest-rank percentiles of `lasted`. */
export const percentilesSql: string = ["0.5", "0.95", "0.99"]
  .map((share, at) => {
    const place = `toUInt64(greatest(1, ceil(${share} * length(lasted))))`;
    const name = ["p50_ms", "p95_ms", "p99_ms"][at] ?? "";
    return `if(empty(lasted), NULL, lasted[${place}]) AS ${name}`;
  })
  .join(", ");

/** The known durations of a group, the shortest first. */
export const durationsSql =
  "arraySort(groupArrayIf(assumeNotNull(duration_ms), isNotNull(duration_ms)))";

const lastedSql = `${durationsSql} AS lasted`;

const countSql = `toFloat64(count()) AS turns, toFloat64(countIf(has_error)) AS errors,
  toFloat64(min(toUnixTimestamp64Micro(ended_at))) AS first_at,
  toFloat64(max(toUnixTimestamp64Micro(ended_at))) AS last_at`;

/** Sums of the turns of a group, and their durations as `lasted`. */
export const figureSql: string = `${countSql},
  toFloat64(countIf(isNull(duration_ms))) AS duration_unknown, ${lastedSql},
  ${sumOf("tool_results")} AS tool_results_sum, ${sumOf("tool_limited")} AS tool_limited_sum,
  ${sumOf("tool_failed")} AS tool_failed_sum, ${sumOf("input_tokens")} AS input_sum,
  ${sumOf("output_tokens")} AS output_sum,
  toFloat64(countIf(isNull(input_tokens))) AS input_unknown,
  toFloat64(countIf(isNull(output_tokens))) AS output_unknown,
  toFloat64(countIf(isNull(input_tokens) AND isNull(output_tokens))) AS tokens_unknown,
  ${sumOf("cached_tokens", "input_tokens")} AS cached_sum,
  ${sumOf("input_tokens", "cached_tokens")} AS cached_of_sum,
  toFloat64(countIf(isNull(input_tokens) OR isNull(cached_tokens))) AS cached_unknown`;

function stretchSql(everyMs: number | undefined, time: StoredTime = "ended_at"): string {
  return everyMs === undefined
    ? "toFloat64(0)"
    : `floor(toFloat64(coalesce(toUnixTimestamp64Micro(${time}), 0)) / ${everyMs * 1_000})`;
}

/**
 * Turns by verdict, as `verdict_sums`: in one statement, because `FINAL` costs as much as the sums.
 */
export const verdictSql: string = "sumMap([toString(verdict)], [toFloat64(1)]) AS verdict_sums";

/** The words of such sums and their counts as lists. */
export function countedSql(word: string): string {
  return `${word}_sums.1 AS ${word}_words, ${word}_sums.2 AS ${word}_counts`;
}

/** The words of a row's lists with their counts. */
export function counted(row: FigureRow, word: string): readonly (readonly [string, number])[] {
  const counts = row[`${word}_counts`] as readonly number[];
  return (row[`${word}_words`] as readonly string[]).map((own, at) => [own, counts[at] ?? 0]);
}

/** A row for each verdict of a group. */
export function verdictRows(row: FigureRow): readonly FigureRow[] {
  const { value, stretch } = row;
  return counted(row, "verdict").map(([verdict, turns]) => ({ value, stretch, verdict, turns }));
}

/** Counts by value and interval. */
export async function countsOf(
  engine: Engine,
  query: TurnQuery,
  options: CountOptions,
): Promise<readonly CountGroup[]> {
  const { by, everyMs, also } = options;
  const bind = bindings();
  const where = whereOf(query, bind);
  const value = by === undefined ? "''" : valueOf(by);
  const alsoSql = also === undefined ? "false" : conditionSql(also, bind);
  const answer = await engine.query(
    `SELECT value, stretch, ${countSql}, toFloat64(countIf(matches)) AS also
FROM (SELECT has_error, ended_at, ${value} AS value, ${stretchSql(everyMs)} AS stretch,
  ifNull(${alsoSql}, false) AS matches
FROM turn_ledger FINAL WHERE ${where}) GROUP BY value, stretch`,
    bind.parameters,
    query.signal,
  );
  return countGroupsOf(rowsOf(answer), options);
}

/** Figures by value and interval. */
export async function figuresOf(
  engine: Engine,
  query: TurnQuery,
  options: FigureOptions,
): Promise<readonly FigureGroup[]> {
  const { by, everyMs, time } = options;
  const bind = bindings();
  const where = whereOf(query, bind);
  const stretch = stretchSql(everyMs, time);
  const value = by === undefined ? "''" : valueOf(by);
  const from = `(SELECT *, ${value} AS value, ${stretch} AS stretch
FROM turn_ledger FINAL WHERE ${where})`;
  const sql = `SELECT * EXCEPT (lasted, verdict_sums), ${percentilesSql}, ${countedSql("verdict")}
FROM (SELECT value, stretch, ${figureSql}, ${verdictSql} FROM ${from} GROUP BY value, stretch)`;
  const groups = rowsOf(await engine.query(sql, bind.parameters, query.signal));
  return figureGroupsOf(groups, groups.flatMap(verdictRows), options);
}

/** Sums of calls, and those of their usage: the engine reads each joined list, used or not. */
const summedColumns = ["duration_ms", "input_tokens", "output_tokens", "cached_tokens"] as const;
const usageSummed = ["cache_write_tokens", "reasoning_tokens"] as const;

/** Figures of calls. */
export async function callsOf(
  engine: Engine,
  query: TurnQuery,
  requested: {
    readonly kind: TurnCall["kind"];
    readonly by: readonly CallField[];
    readonly options?: CallOptions | undefined;
  },
): Promise<readonly CallFigures[]> {
  const { kind, by, options = {} } = requested;
  const { everyMs, inputSteps } = options;
  const bind = bindings();
  const where = whereOf(query, bind);
  const summed = [...summedColumns, ...(inputSteps === undefined ? [] : usageSummed)];
  const lists = new Set([
    "outcome",
    ...summed,
    ...by.filter(isCallOwn),
    ...(inputSteps === undefined ? [] : ["service_tier"]),
  ]);
  const joined = [...lists].map((name) => `call_${name} AS one_${name}`).join(", ");
  const columns = [
    "'' AS whole",
    ...by.map((field) => `${callValue(field)} AS by_${field}`),
    ...(everyMs === undefined ? [] : [`${stretchSql(everyMs)} AS stretch`]),
    ...(inputSteps === undefined ? [] : usageColumns(inputSteps)),
  ];
  const names = ["whole", ...by.map((field) => `by_${field}`), ...callKeys(options)].join(", ");
  const usageSums = `${sumOf("cache_write_tokens")} AS write_sum,
  ${sumOf("reasoning_tokens")} AS reasoning_sum,`;
  // A call's value has its name one query further out: ClickHouse takes an alias before a column of
  // the same name, so a condition on a number of the turn would read that of each call.
  const read = `SELECT ${columns.join(", ")}, ${summed.map((name) => `one_${name}`).join(", ")}, one_outcome
FROM turn_ledger FINAL ARRAY JOIN call_kind AS one_kind, ${joined}
WHERE (${where}) AND one_kind = '${kind}'`;
  const from = `(SELECT ${names}, ${summed.map((name) => `one_${name} AS ${name}`).join(", ")},
  toString(one_outcome) AS outcome FROM (${read}))`;
  const sql = `SELECT * EXCEPT (lasted, outcome_sums), ${percentilesSql}, ${countedSql("outcome")}
FROM (SELECT ${names}, toFloat64(count()) AS calls, ${lastedSql},
  sumMap([if(outcome = '', 'unknown', outcome)], [toFloat64(1)]) AS outcome_sums,
  toFloat64(countIf(isNull(duration_ms))) AS duration_unknown,
  ${sumOf("input_tokens")} AS input_sum, ${sumOf("output_tokens")} AS output_sum,
  ${sumOf("cached_tokens")} AS cached_sum, ${inputSteps === undefined ? "" : usageSums}
  toFloat64(countIf(isNull(input_tokens) AND isNull(output_tokens))) AS tokens_unknown
FROM ${from} GROUP BY ${names})`;
  const groups = rowsOf(await engine.query(sql, bind.parameters, query.signal));
  const outcomes = groups.flatMap((row) =>
    counted(row, "outcome").map(([stated, calls]) => ({ ...row, stated, calls })),
  );
  return callFiguresOf(groups, outcomes, by, options);
}

function callValue(field: CallField): string {
  return isCallOwn(field) ? `toString(one_${field})` : valueOf(field);
}

function usageColumns(steps: readonly number[]): readonly string[] {
  const { step, known } = usageSql((field) => `one_${field}`, steps);
  return [
    "toString(one_service_tier) AS use_tier",
    `toFloat64(${step}) AS use_step`,
    `${known} AS use_known`,
  ];
}
