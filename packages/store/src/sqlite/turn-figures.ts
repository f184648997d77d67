/** @module TurnFigures: facets, figures of turns and of calls as statements of SQLite. */
import type { TurnCall } from "@turnproof/evidence";

import type { DatabaseSync } from "node:sqlite";

import { listFields } from "../ledger/turn-fields.ts";
import type { ListField, TextField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallFigures,
  FigureGroup,
  FigureOptions,
  TurnFacet,
} from "../ledger/turn-question.ts";
import { compareValues } from "../ledger/turn-sums.ts";
import type { SqlPart } from "./turn-sql.ts";

type Row = Readonly<Record<string, unknown>>;

/** The turns that pass, once for each value of the field; a turn without one has null. */
function valuedSql(where: SqlPart, field: TextField | ListField | undefined): SqlPart {
  if (field === undefined) {
    return { sql: `SELECT NULL AS value, turns.* FROM turns WHERE ${where.sql}`, ...bound(where) };
  }
  if (!Object.hasOwn(listFields, field)) {
    return {
      sql: `SELECT ${field} AS value, turns.* FROM turns WHERE ${where.sql}`,
      ...bound(where),
    };
  }
  return {
    sql: `SELECT own.value AS value, passed.* FROM (SELECT * FROM turns WHERE ${where.sql}) passed
          LEFT JOIN turn_values own ON own.key = passed.key AND own.field = ?`,
    values: [...where.values, field],
  };
}

function bound({ values }: SqlPart): Pick<SqlPart, "values"> {
  return { values };
}

/** The values of a field with their counts. */
export function facetOf(
  database: DatabaseSync,
  where: SqlPart,
  field: TextField | ListField,
  valuesMax: number,
): TurnFacet {
  const valued = valuedSql(where, field);
  const rows: readonly Row[] = database
    .prepare(
      `SELECT value, count(*) AS turns, count(*) OVER () AS total FROM (${valued.sql})
       GROUP BY value ORDER BY turns DESC, value ASC LIMIT ?`,
    )
    .all(...valued.values, valuesMax);
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

/** Percentiles of `duration_ms` in each group of `columns` over the rows of `from`. */
function percentilesSql(from: string, columns: string): string {
  const picked = shares.map(
    ([name, share]) => `max(CASE WHEN place = ${rankSql(share)} THEN duration_ms END) AS ${name}`,
  );
  return `SELECT ${columns}, ${picked.join(", ")} FROM (
      SELECT ${columns}, duration_ms, count(*) OVER (PARTITION BY ${columns}) AS n,
        row_number() OVER (PARTITION BY ${columns} ORDER BY duration_ms) AS place
      FROM ${from} WHERE duration_ms IS NOT NULL
    ) GROUP BY ${columns}`;
}

const figureColumns = `count(*) AS turns, sum(has_error) AS errors,
  sum(duration_ms IS NULL) AS duration_unknown, sum(tool_results) AS tool_results,
  sum(tool_limited) AS tool_limited, sum(tool_failed) AS tool_failed,
  sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
  sum(input_tokens IS NULL AND output_tokens IS NULL) AS tokens_unknown,
  sum(CASE WHEN input_tokens IS NOT NULL THEN cached_tokens END) AS cached_tokens,
  sum(CASE WHEN cached_tokens IS NOT NULL THEN input_tokens END) AS cached_of_tokens,
  min(ended_at) AS first_at, max(ended_at) AS last_at`;

/** Figures by value and stretch. */
export function figuresOf(
  database: DatabaseSync,
  where: SqlPart,
  { by, everyMs }: FigureOptions,
): readonly FigureGroup[] {
  const valued = valuedSql(where, by);
  const stretch = everyMs === undefined ? "NULL" : floorSql("ended_at", everyMs * 1_000);
  const grouped = `WITH grouped AS (SELECT *, ${stretch} AS stretch FROM (${valued.sql}))`;
  const all = (sql: string): readonly Row[] =>
    database.prepare(`${grouped} ${sql}`).all(...valued.values);
  const keyOf = (row: Row): string => JSON.stringify([row["value"], row["stretch"]]);
  const verdicts = new Map<string, [string, number][]>();
  for (const row of all(
    `SELECT value, stretch, verdict, count(*) AS turns FROM grouped
     GROUP BY value, stretch, verdict ORDER BY verdict`,
  )) {
    const own = verdicts.get(keyOf(row)) ?? [];
    own.push([String(row["verdict"]), Number(row["turns"])]);
    verdicts.set(keyOf(row), own);
  }
  const percentiles = new Map(
    all(percentilesSql("grouped", "value, stretch")).map((row) => [keyOf(row), row]),
  );
  return all(`SELECT value, stretch, ${figureColumns} FROM grouped GROUP BY value, stretch`)
    .map((row): FigureGroup => {
      const ranks = percentiles.get(keyOf(row)) ?? {};
      return {
        ...(by === undefined ? {} : { value: textOf(row["value"]) }),
        ...(everyMs === undefined ? {} : { from_ms: Number(row["stretch"]) * everyMs }),
        turns: Number(row["turns"]),
        errors: Number(row["errors"]),
        verdicts: Object.fromEntries(verdicts.get(keyOf(row)) ?? []),
        p50_ms: numberOf(ranks["p50_ms"]),
        p95_ms: numberOf(ranks["p95_ms"]),
        p99_ms: numberOf(ranks["p99_ms"]),
        duration_unknown: Number(row["duration_unknown"]),
        tool_results: Number(row["tool_results"] ?? 0),
        tool_limited: Number(row["tool_limited"] ?? 0),
        tool_failed: Number(row["tool_failed"] ?? 0),
        input_tokens: numberOf(row["input_tokens"]),
        output_tokens: numberOf(row["output_tokens"]),
        tokens_unknown: Number(row["tokens_unknown"]),
        cached_tokens: numberOf(row["cached_tokens"]),
        cached_of_tokens: numberOf(row["cached_of_tokens"]),
        first_at: numberOf(row["first_at"]),
        last_at: numberOf(row["last_at"]),
      };
    })
    .toSorted(
      (a, b) =>
        compareValues(a.value ?? null, b.value ?? null) || (a.from_ms ?? 0) - (b.from_ms ?? 0),
    );
}

/** Division that rounds down, of a column that may be negative. */
function floorSql(column: string, by: number): string {
  return `((${column} - ((${column} % ${by}) + ${by}) % ${by}) / ${by})`;
}

/** Figures of calls by fields of the call or of its turn. */
export function callFiguresOf(
  database: DatabaseSync,
  where: SqlPart,
  { kind, by }: { readonly kind: TurnCall["kind"]; readonly by: readonly CallField[] },
): readonly CallFigures[] {
  const columns = by.map((field) => `${columnOf(field)} AS by_${field}`);
  const names = ["one", ...by.map((field) => `by_${field}`)].join(", ");
  const releases = by.includes("release")
    ? "LEFT JOIN turn_values releases ON releases.key = passed.key AND releases.field = 'release'"
    : "";
  const grouped = `WITH grouped AS (
      SELECT ${["1 AS one", ...columns].join(", ")}, calls.*
      FROM (SELECT key, agent_id FROM turns WHERE ${where.sql}) passed
      JOIN turn_calls calls ON calls.key = passed.key AND calls.kind = ? ${releases}
    )`;
  const all = (sql: string): readonly Row[] =>
    database.prepare(`${grouped} ${sql}`).all(...where.values, kind);
  const keyOf = (row: Row): string => JSON.stringify(by.map((field) => row[`by_${field}`]));
  const outcomes = new Map<string, [string, number][]>();
  for (const row of all(
    `SELECT ${names}, coalesce(outcome, 'unknown') AS said, count(*) AS calls FROM grouped
     GROUP BY ${names}, said ORDER BY said`,
  )) {
    const own = outcomes.get(keyOf(row)) ?? [];
    own.push([String(row["said"]), Number(row["calls"])]);
    outcomes.set(keyOf(row), own);
  }
  const percentiles = new Map(
    all(percentilesSql("grouped", names)).map((row) => [keyOf(row), row]),
  );
  return all(
    `SELECT ${names}, count(*) AS calls, sum(duration_ms IS NULL) AS duration_unknown,
      sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      sum(cached_tokens) AS cached_tokens,
      sum(input_tokens IS NULL AND output_tokens IS NULL) AS tokens_unknown
     FROM grouped GROUP BY ${names}`,
  )
    .map((row): [string, CallFigures] => {
      const ranks = percentiles.get(keyOf(row)) ?? {};
      const group = Object.fromEntries(by.map((field) => [field, textOf(row[`by_${field}`])]));
      return [
        keyOf(row),
        {
          group,
          calls: Number(row["calls"]),
          outcomes: Object.fromEntries(outcomes.get(keyOf(row)) ?? []),
          p50_ms: numberOf(ranks["p50_ms"]),
          p95_ms: numberOf(ranks["p95_ms"]),
          p99_ms: numberOf(ranks["p99_ms"]),
          duration_unknown: Number(row["duration_unknown"]),
          input_tokens: numberOf(row["input_tokens"]),
          output_tokens: numberOf(row["output_tokens"]),
          cached_tokens: numberOf(row["cached_tokens"]),
          tokens_unknown: Number(row["tokens_unknown"]),
        },
      ];
    })
    .toSorted(([a, x], [b, y]) => y.calls - x.calls || compareValues(a, b))
    .map(([, figures]) => figures);
}

function columnOf(field: CallField): string {
  if (field === "agent_id") return "passed.agent_id";
  return field === "release" ? "releases.value" : `calls.${field}`;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}
