/** @module TurnLedger: turns in ClickHouse; the reference is `memoryTurns`. */
import { createHash } from "node:crypto";

import { placeOf } from "../ledger/turn-conditions.ts";
import { callFiguresOf, figureGroupsOf, textOf } from "../ledger/figure-rows.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, TextField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallFigures,
  FigureGroup,
  FigureOptions,
  HeldTurn,
  TurnFacet,
  TurnLedger,
  TurnQuestion,
} from "../ledger/turn-question.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { versionOfNumber } from "../ledger/turn-writes.ts";
import type { TurnWrite } from "../ledger/turn-writes.ts";
import { isoOfMicros } from "../time.ts";
import type { Answer, Engine, Tables } from "./connection.ts";
import { withdrawLate } from "./late-writes.ts";
import { bindings, inRuns, namesPerStatement } from "./sql-text.ts";
import { columnOfList, encodeTurns } from "./turn-columns.ts";
import { afterOf, orderOf, whereOf } from "./turn-where.ts";

/** Turns of this engine, whose table is there. */
export function clickhouseTurns(tables: Tables): TurnLedger {
  const { engine } = tables;
  const write = async (lines: readonly TurnWrite[]): Promise<void> => {
    if (lines.length === 0) return;
    const block = encodeTurns(lines);
    const token = createHash("sha256").update(block.bytes).digest("hex");
    await engine.insert("turn_ledger", block, token);
  };
  return {
    answeredIn: "store",
    async putTurns(records) {
      await write(records.map((put) => ({ put })));
      await withdrawLate(tables, records);
    },
    dropTurns: (gone) => write(gone.map((drop) => ({ drop }))),
    async turnsOf(roots) {
      const turns: HeldTurn[] = [];
      for (const some of inRuns(roots, namesPerStatement)) {
        const bind = bindings();
        const answer = await engine.query(
          `SELECT key, root_trace_id, toString(version) AS version,
  toFloat64(toUnixTimestamp64Micro(first_received)) AS received
FROM turn_ledger FINAL WHERE root_trace_id IN ${bind.texts(some)}`,
          bind.parameters,
        );
        turns.push(...rowsOf(answer).map(heldTurn));
      }
      return turns;
    },
    async listTurns(question, { order, limit, after }) {
      const bind = bindings();
      const where = [
        whereOf(question, bind),
        ...(after === undefined ? [] : [afterOf(order, after, bind)]),
      ];
      const answer = await engine.query(
        `SELECT record FROM turn_ledger FINAL WHERE ${where.map((sql) => `(${sql})`).join(" AND ")}
ORDER BY ${orderOf(order)} LIMIT ${limit + 1}`,
        bind.parameters,
        question.signal,
      );
      const rows = (answer.columns.get("record") ?? []) as readonly string[];
      const records = rows.slice(0, limit).map((row) => JSON.parse(row) as TurnRecord);
      const last = records.at(-1);
      const more = rows.length > limit && last !== undefined;
      return { records, next: more ? placeOf(last, order) : null };
    },
    async countTurns(question) {
      const bind = bindings();
      const sql = `SELECT toFloat64(count()) AS turns FROM turn_ledger FINAL WHERE ${whereOf(question, bind)}`;
      const answer = await engine.query(sql, bind.parameters, question.signal);
      return Number(answer.columns.get("turns")?.[0] ?? 0);
    },
    turnFacets: async (question, fields, valuesMax) =>
      Promise.all(fields.map((field) => facetOf(engine, question, field, valuesMax))),
    turnFigures: (question, options) => figuresOf(engine, question, options),
    callFigures: (question, kind, by) => callsOf(engine, question, { kind, by }),
  };
}

/** A field as a column with one value a row; a turn with several values has several rows. */
function valueOf(field: TextField | ListField): string {
  if (!isListField(field)) return `toString(${field})`;
  const column = columnOfList(field);
  return `arrayJoin(arrayMap(x -> toString(x), if(empty(${column}), [''], ${column})))`;
}

function heldTurn(row: FigureRow): HeldTurn {
  return {
    key: String(row["key"]),
    root_trace_id: String(row["root_trace_id"]),
    version: versionOfNumber(BigInt(String(row["version"]))),
    first_received: isoOfMicros(Number(row["received"])),
  };
}

function rowsOf({ rows, columns }: Answer): FigureRow[] {
  return Array.from({ length: rows }, (_, at) =>
    Object.fromEntries([...columns].map(([name, values]) => [name, values[at]])),
  );
}

async function facetOf(
  engine: Engine,
  question: TurnQuestion,
  field: TextField | ListField,
  valuesMax: number,
): Promise<TurnFacet> {
  const bind = bindings();
  const answer = await engine.query(
    `SELECT value, toFloat64(count()) AS turns, toFloat64(count() OVER ()) AS total
FROM (SELECT ${valueOf(field)} AS value FROM turn_ledger FINAL WHERE ${whereOf(question, bind)})
GROUP BY value ORDER BY turns DESC, value ASC LIMIT ${valuesMax}`,
    bind.parameters,
    question.signal,
  );
  const rows = rowsOf(answer);
  return {
    field,
    values: rows.map((row) => ({ value: textOf(row["value"]), turns: Number(row["turns"]) })),
    total: Number(rows[0]?.["total"] ?? 0),
  };
}

/** A sum, or NULL without a value. */
function sumOf(column: string, when = "true"): string {
  const known = `isNotNull(${column}) AND ${when}`;
  return `if(countIf(${known}) = 0, NULL, sumIf(assumeNotNull(${column}), ${known}))`;
}

const percentilesSql = ["0.5", "0.95", "0.99"]
  .map((share, at) => {
    const place = `toUInt64(greatest(1, ceil(${share} * length(lasted))))`;
    const name = ["p50_ms", "p95_ms", "p99_ms"][at] ?? "";
    return `if(empty(lasted), NULL, lasted[${place}]) AS ${name}`;
  })
  .join(", ");

const lastedSql =
  "arraySort(groupArrayIf(assumeNotNull(duration_ms), isNotNull(duration_ms))) AS lasted";

const figureSql = `toFloat64(count()) AS turns, toFloat64(countIf(has_error)) AS errors,
  toFloat64(countIf(isNull(duration_ms))) AS duration_unknown, ${lastedSql},
  ${sumOf("tool_results")} AS tool_results_sum, ${sumOf("tool_limited")} AS tool_limited_sum,
  ${sumOf("tool_failed")} AS tool_failed_sum, ${sumOf("input_tokens")} AS input_sum,
  ${sumOf("output_tokens")} AS output_sum,
  toFloat64(countIf(isNull(input_tokens) AND isNull(output_tokens))) AS tokens_unknown,
  ${sumOf("cached_tokens", "isNotNull(input_tokens)")} AS cached_sum,
  ${sumOf("input_tokens", "isNotNull(cached_tokens)")} AS cached_of_sum,
  toFloat64(min(toUnixTimestamp64Micro(ended_at))) AS first_at,
  toFloat64(max(toUnixTimestamp64Micro(ended_at))) AS last_at`;

async function figuresOf(
  engine: Engine,
  question: TurnQuestion,
  options: FigureOptions,
): Promise<readonly FigureGroup[]> {
  const { by, everyMs } = options;
  const bind = bindings();
  const where = whereOf(question, bind);
  const stretch =
    everyMs === undefined
      ? "toFloat64(0)"
      : `floor(toFloat64(toUnixTimestamp64Micro(ended_at)) / ${everyMs * 1_000})`;
  const value = by === undefined ? "''" : valueOf(by);
  const from = `(SELECT *, ${value} AS value, ${stretch} AS stretch
FROM turn_ledger FINAL WHERE ${where})`;
  const ask = async (sql: string): Promise<FigureRow[]> =>
    rowsOf(await engine.query(sql, bind.parameters, question.signal));
  const [groups, verdicts] = await Promise.all([
    ask(`SELECT *, ${percentilesSql} FROM
(SELECT value, stretch, ${figureSql} FROM ${from} GROUP BY value, stretch)`),
    ask(`SELECT value, stretch, toString(verdict) AS verdict, toFloat64(count()) AS turns FROM ${from}
GROUP BY value, stretch, verdict`),
  ]);
  return figureGroupsOf(groups, verdicts, options);
}

const callListColumns = [
  "name",
  "provider",
  "outcome",
  "error_type",
  "duration_ms",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
] as const;

async function callsOf(
  engine: Engine,
  question: TurnQuestion,
  { kind, by }: { readonly kind: string; readonly by: readonly CallField[] },
): Promise<readonly CallFigures[]> {
  const bind = bindings();
  const where = whereOf(question, bind);
  const joined = callListColumns.map((name) => `call_${name} AS one_${name}`).join(", ");
  const values = by.map((field) => `${callValue(field)} AS by_${field}`);
  const names = ["whole", ...by.map((field) => `by_${field}`)].join(", ");
  const from = `(SELECT ${["'' AS whole", ...values].join(", ")},
  one_duration_ms AS duration_ms, one_input_tokens AS input_tokens,
  one_output_tokens AS output_tokens, one_cached_tokens AS cached_tokens,
  toString(one_outcome) AS outcome
FROM turn_ledger FINAL ARRAY JOIN call_kind AS one_kind, ${joined}
WHERE (${where}) AND one_kind = '${kind}')`;
  const ask = async (sql: string): Promise<FigureRow[]> =>
    rowsOf(await engine.query(sql, bind.parameters, question.signal));
  const [groups, outcomes] = await Promise.all([
    ask(`SELECT *, ${percentilesSql} FROM (SELECT ${names}, toFloat64(count()) AS calls, ${lastedSql},
  toFloat64(countIf(isNull(duration_ms))) AS duration_unknown,
  ${sumOf("input_tokens")} AS input_sum, ${sumOf("output_tokens")} AS output_sum,
  ${sumOf("cached_tokens")} AS cached_sum,
  toFloat64(countIf(isNull(input_tokens) AND isNull(output_tokens))) AS tokens_unknown
FROM ${from} GROUP BY ${names})`),
    ask(`SELECT ${names}, if(outcome = '', 'unknown', outcome) AS said, toFloat64(count()) AS calls
FROM ${from} GROUP BY ${names}, said`),
  ]);
  return callFiguresOf(groups, outcomes, by);
}

function callValue(field: CallField): string {
  if (field === "agent_id" || field === "release") return valueOf(field);
  return `toString(one_${field})`;
}
