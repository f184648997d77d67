/** @module TurnLedger: turns in PostgreSQL; the reference is `memoryTurns`. */
import type { TurnCall } from "@turnproof/evidence";
import { isoOfMicros } from "@turnproof/semconv";

import { isCallOwn } from "../ledger/call-usage.ts";
import {
  callFiguresOf,
  callKeys,
  countsByFigures,
  figureGroupsOf,
  textOf,
} from "../ledger/figure-rows.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { positionIn } from "../ledger/group-orders.ts";
import type { RootTurns } from "../ledger/record-roots.ts";
import { turnPositionOf } from "../ledger/turn-conditions.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, StoredTime, TextField } from "../ledger/turn-fields.ts";
import { groupReads, groupsPage } from "../ledger/turn-groups.ts";
import type { NameRow } from "../ledger/turn-groups.ts";
import type {
  CallField,
  CallFigures,
  CallOptions,
  FigureGroup,
  FigureOptions,
  GroupField,
  TurnFacet,
  TurnLedger,
  TurnQuery,
} from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { versionOfNumber } from "../ledger/turn-writes.ts";
import { callRows, callUsageSql } from "./call-rows.ts";
import type { Database, Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";
import { namesSql, placesSql } from "./turn-groups.ts";
import { columnOfList, writeTurns } from "./turn-rows.ts";
import { afterOf, orderOf, whereOf } from "./turn-where.ts";

/** Writes turns inside a transaction. */
export function turnsWithin(session: Session): RootTurns {
  return {
    putTurns: (records) =>
      writeTurns(
        session,
        records.map((put) => ({ put })),
      ),
    dropTurns: (gone) =>
      writeTurns(
        session,
        gone.map((drop) => ({ drop })),
      ),
    async turnsOf(roots) {
      const bind = bindings();
      const requested = roots.filter((root) => root.isWellFormed());
      const { rows } = await session.query(
        `SELECT key, root_trace_id, version::text AS version, first_received::text AS received
FROM turn_ledger WHERE root_trace_id = ANY(${bind.texts(requested)}) AND NOT gone`,
        bind.parameters,
      );
      return rows.map((row) => ({
        key: fromStored(String(row["key"])),
        root_trace_id: fromStored(String(row["root_trace_id"])),
        version: versionOfNumber(BigInt(String(row["version"]))),
        first_received: isoOfMicros(Number(row["received"])),
      }));
    },
    async listTurns(query, { order, limit, after }) {
      const bind = bindings();
      const where = [
        `(${whereOf(query, bind)})`,
        ...(after === undefined ? [] : [`(${afterOf(order, after, bind)})`]),
      ];
      const rows = await request(
        session,
        query,
        `SELECT record FROM turn_ledger WHERE ${where.join(" AND ")}
ORDER BY ${orderOf(order)} LIMIT ${limit + 1}`,
        bind,
      );
      const page = rows.slice(0, limit);
      const records = page.map(({ record }) => JSON.parse(String(record)) as TurnRecord);
      const last = records.at(-1);
      const more = rows.length > limit && last !== undefined;
      return { records, next: more ? turnPositionOf(last, order) : null };
    },
  };
}

/** Turns of this database, whose table is there. */
export function postgresTurns(database: Database): TurnLedger {
  const ledger: TurnLedger = {
    answeredIn: "store",
    putTurns: (records) =>
      database.transaction((session) => turnsWithin(session).putTurns(records)),
    dropTurns: (gone) => database.transaction((session) => turnsWithin(session).dropTurns(gone)),
    turnsOf: (roots) => turnsWithin(database).turnsOf(roots),
    listTurns: (...requested) => turnsWithin(database).listTurns(...requested),
    async countTurns(query) {
      const bind = bindings();
      const sql = `SELECT count(*)::text AS turns FROM turn_ledger WHERE ${whereOf(query, bind)}`;
      const [row] = await request(database, query, sql, bind);
      return Number(row?.["turns"] ?? 0);
    },
    turnFacets: (query, fields, valuesMax) =>
      Promise.all(fields.map((field) => facetOf(database, query, field, valuesMax))),
    turnCounts: (query, options) =>
      countsByFigures((of, by) => figuresOf(database, of, by), query, options),
    turnFigures: (query, options) => figuresOf(database, query, options),
    callFigures: (query, kind, by, options) => callsOf(database, query, { kind, by, options }),
    async turnGroups(query, by, paging) {
      const names = (of: TurnQuery): Promise<readonly NameRow[]> => namesIn(database, of, by);
      const bind = bindings();
      const rows = await request(database, query, placesSql(query, by, paging, bind), bind);
      const places = rows.map((row) =>
        positionIn(paging, { ...valueIn(row), last: row["at"], rank: row["rank_at"] }),
      );
      return groupsPage(places, paging.limit, groupReads(ledger, query, by, names));
    },
  };
  return ledger;
}

async function namesIn(
  session: Session,
  query: TurnQuery,
  by: GroupField,
): Promise<readonly NameRow[]> {
  const bind = bindings();
  const rows = await request(session, query, namesSql(query, by, bind), bind);
  return rows.map((row) => ({
    ...valueIn(row),
    field: String(row["field"]),
    name: heldText(row["name"]),
    count: Number(row["count"]),
  }));
}

async function request(
  session: Session,
  { signal }: TurnQuery,
  sql: string,
  bind: Bindings,
): Promise<readonly FigureRow[]> {
  signal?.throwIfAborted();
  const { rows } = await session.query(sql, bind.parameters);
  return rows;
}

/**
 * A field as one value per row, and the join that gives a turn with several values several rows.
 */
function valueOf(field: TextField | ListField): { readonly value: string; readonly join: string } {
  if (!isListField(field)) return { value: field, join: "" };
  const join = `LEFT JOIN LATERAL unnest(${columnOfList(field)}) AS own_${field}(value) ON true`;
  return { value: `own_${field}.value`, join };
}

async function facetOf(
  session: Session,
  query: TurnQuery,
  field: TextField | ListField,
  valuesMax: number,
): Promise<TurnFacet> {
  const bind = bindings();
  const { value, join } = valueOf(field);
  const rows = await request(
    session,
    query,
    `SELECT ${value} AS value, count(*)::text AS turns, (count(*) OVER ())::text AS total
FROM turn_ledger ${join} WHERE ${whereOf(query, bind)}
GROUP BY 1 ORDER BY count(*) DESC, 1 NULLS FIRST LIMIT ${valuesMax}`,
    bind,
  );
  const values = rows.map((row) => ({ ...valueIn(row), turns: Number(row["turns"]) }));
  return { field, values, total: Number(rows[0]?.["total"] ?? 0) };
}

function valueIn(row: FigureRow): { readonly value: string | null } {
  return { value: heldText(row["value"]) };
}

function heldText(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : fromStored(text);
}

/** Nearest rank, by the same product and ceiling as the reference. */
const percentilesSql = [
  ["p50_ms", "0.5"],
  ["p95_ms", "0.95"],
  ["p99_ms", "0.99"],
]
  .map(
    ([name, share]) => `percentile_disc(${share}) WITHIN GROUP (ORDER BY duration_ms) AS ${name}`,
  )
  .join(", ");

/** Sums that turns and calls both have. */
const tokensSql = `${percentilesSql},
  count(*) FILTER (WHERE duration_ms IS NULL)::text AS duration_unknown,
  sum(input_tokens) AS input_sum, sum(output_tokens) AS output_sum,
  count(*) FILTER (WHERE input_tokens IS NULL AND output_tokens IS NULL)::text AS tokens_unknown`;

const figureSql = `count(*)::text AS turns, count(*) FILTER (WHERE has_error)::text AS errors,
  ${tokensSql}, sum(tool_results) AS tool_results_sum, sum(tool_limited) AS tool_limited_sum,
  sum(tool_failed) AS tool_failed_sum,
  count(*) FILTER (WHERE input_tokens IS NULL)::text AS input_unknown,
  count(*) FILTER (WHERE output_tokens IS NULL)::text AS output_unknown,
  sum(cached_tokens) FILTER (WHERE input_tokens IS NOT NULL) AS cached_sum,
  sum(input_tokens) FILTER (WHERE cached_tokens IS NOT NULL) AS cached_of_sum,
  count(*) FILTER (WHERE input_tokens IS NULL OR cached_tokens IS NULL)::text AS cached_unknown,
  min(ended_at)::text AS first_at, max(ended_at)::text AS last_at`;

function stretchSql(everyMs: number, time: StoredTime = "ended_at"): string {
  return `floor(coalesce(${time}, 0)::double precision / ${everyMs * 1_000})`;
}

async function figuresOf(
  session: Session,
  query: TurnQuery,
  options: FigureOptions,
): Promise<readonly FigureGroup[]> {
  const { by, everyMs, time } = options;
  const bind = bindings();
  const { value, join } = by === undefined ? { value: "NULL::text", join: "" } : valueOf(by);
  const stretch = everyMs === undefined ? "0::double precision" : stretchSql(everyMs, time);
  const grouped = `WITH grouped AS (SELECT turn_ledger.*, ${value} AS value, ${stretch} AS stretch
FROM turn_ledger ${join} WHERE ${whereOf(query, bind)})`;
  const [groups, verdicts] = await Promise.all([
    request(
      session,
      query,
      `${grouped} SELECT value, stretch, ${figureSql} FROM grouped GROUP BY value, stretch`,
      bind,
    ),
    request(
      session,
      query,
      `${grouped} SELECT value, stretch, verdict, count(*)::text AS turns FROM grouped
GROUP BY value, stretch, verdict`,
      bind,
    ),
  ]);
  const reported = (row: FigureRow): FigureRow => ({ ...row, ...valueIn(row) });
  return figureGroupsOf(groups.map(reported), verdicts.map(reported), options);
}

const usageSums = "sum(cache_write_tokens) AS write_sum, sum(reasoning_tokens) AS reasoning_sum";

async function callsOf(
  session: Session,
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
  const columns = [
    ...by.map((field) => `${callColumn(field)} AS by_${field}`),
    ...(everyMs === undefined ? [] : [`${stretchSql(everyMs)} AS stretch`]),
    ...(inputSteps === undefined ? [] : usageColumns(inputSteps)),
  ];
  const names = ["whole", ...by.map((field) => `by_${field}`), ...callKeys(options)].join(", ");
  const join = by.includes("release") ? valueOf("release").join : "";
  const grouped = `WITH grouped AS (SELECT ${["1 AS whole", ...columns].join(", ")},
  call.outcome, call.duration_ms, call.input_tokens, call.output_tokens, call.cached_tokens,
  call.cache_write_tokens, call.reasoning_tokens
FROM (SELECT * FROM turn_ledger WHERE ${whereOf(query, bind)}) AS turn ${join}
CROSS JOIN LATERAL ${callRows}
WHERE call.kind = ${bind.plain(kind)})`;
  const sums = inputSteps === undefined ? tokensSql : `${tokensSql}, ${usageSums}`;
  const [groups, outcomes] = await Promise.all([
    request(
      session,
      query,
      `${grouped} SELECT ${names}, count(*)::text AS calls, ${sums},
  sum(cached_tokens) AS cached_sum FROM grouped GROUP BY ${names}`,
      bind,
    ),
    request(
      session,
      query,
      `${grouped} SELECT ${names}, coalesce(outcome, 'unknown') AS stated, count(*)::text AS calls
FROM grouped GROUP BY ${names}, stated`,
      bind,
    ),
  ]);
  const reported = (row: FigureRow): FigureRow => {
    const texts = [...by.map((field) => `by_${field}`), "use_tier"];
    return {
      ...row,
      ...Object.fromEntries(texts.map((name) => [name, heldText(row[name])] as const)),
    };
  };
  return callFiguresOf(groups.map(reported), outcomes.map(reported), by, options);
}

function callColumn(field: CallField): string {
  if (isCallOwn(field)) return `call.${field}`;
  return field === "release" ? valueOf("release").value : `turn.${field}`;
}

function usageColumns(steps: readonly number[]): readonly string[] {
  const { step, known } = callUsageSql(steps);
  return ["call.service_tier AS use_tier", `${step} AS use_step`, `${known} AS use_known`];
}
