/**
 * @module TurnLists: pages of turns in ClickHouse. `FINAL` reads every row before it sorts. Sorted
 * by first receipt, the order of the table, it need not: all versions of a turn share it, so the
 * rows that fill a page determine from which receipt on versions are folded. Sorted by another
 * time, the page's last time is found first, without keys, which decide between equal times and
 * are read as slowly as all other columns together; an index leads to the rows up to it.
 */
import { askedConditions } from "../ledger/asked-conditions.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { unpackRecord } from "../ledger/packed-record.ts";
import { placeOf } from "../ledger/turn-conditions.ts";
import { tenantText } from "../ledger/turn-fields.ts";
import type { TurnOrder, TurnPage, TurnPlace, TurnQuestion } from "../ledger/turn-question.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import type { ClickHouseBindings } from "./sql-text.ts";
import { rowsOf } from "./turn-figures.ts";
import { afterOf, orderOf, timeSql, whereOf } from "./turn-where.ts";

/** Parameters of a page. */
export interface PageAsked {
  readonly order: TurnOrder;
  readonly limit: number;
  readonly after?: TurnPlace;
}

/** A turn usually has two versions until its parts are merged. */
const rowsOfTurn = 3;
/** Factor by which the range is extended when rows of turns that no longer match filled it. */
const longer = 16;

/** Tenants that may have most of the turns. */
const commonTenants: ReadonlySet<string> = new Set([tenantText(null), tenantText(undefined)]);

/** A page of turns. */
export async function listOf(
  engine: Engine,
  question: TurnQuestion,
  page: PageAsked,
): Promise<TurnPage> {
  const { order, limit } = page;
  const rows = await rowsOfPage(engine, question, page);
  const records = rows.slice(0, limit);
  const last = records.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { records, next: more ? placeOf(last, order) : null };
}

function rowsOfPage(
  engine: Engine,
  question: TurnQuestion,
  page: PageAsked,
): Promise<readonly TurnRecord[]> {
  const { by } = page.order;
  if (isIndexed(question)) return recordsOf(engine, question, page);
  if (by === "first_received") return byReceipt(engine, question, page);
  if (ranged.has(by)) return byTime(engine, question, page);
  return recordsOf(engine, question, page);
}

/** Times with an index of ranges. */
const ranged: ReadonlySet<string> = new Set(["started_at", "ended_at"]);

/** Fields with few turns per value, which an index finds. */
const indexed: ReadonlySet<string> = new Set(["tenant", "thread_id", "root_trace_id"]);

/** True where an index finds the turns: determining the range first would cost as much again. */
function isIndexed(question: TurnQuestion): boolean {
  return askedConditions(question).some(
    (condition) =>
      "text" in condition &&
      condition.not !== true &&
      indexed.has(condition.text) &&
      condition.is !== null &&
      !commonTenants.has(condition.is),
  );
}

async function byReceipt(
  engine: Engine,
  question: TurnQuestion,
  page: PageAsked,
): Promise<readonly TurnRecord[]> {
  const wanted = page.limit + 1;
  for (let reach = wanted * rowsOfTurn; ; reach *= longer) {
    const { end, rows } = await reachOf(engine, question, { ...page, reach });
    if (end === undefined) return [];
    const records = await recordsOf(engine, question, page, end);
    if (records.length === wanted || rows < reach) return records;
  }
}

/** First receipt of the last of that many matching rows, of any version. */
async function reachOf(
  engine: Engine,
  question: TurnQuestion,
  page: PageAsked & { readonly reach: number },
): Promise<{ readonly end: string | undefined; readonly rows: number }> {
  const bind = bindings();
  const { ascending } = page.order;
  const [last, direction, sign] = ascending === true ? ["max", "ASC", "<="] : ["min", "DESC", ">="];
  const answer = await engine.query(
    `SELECT toFloat64(${last}(toUnixTimestamp64Micro(first_received))) AS end,
  toFloat64(count()) AS rows
FROM (SELECT first_received FROM turn_ledger WHERE ${whereSql(question, page, bind)} AND gone = 0
  ORDER BY first_received ${direction} LIMIT ${page.reach})`,
    bind.parameters,
    question.signal,
  );
  const rows = Number(answer.columns.get("rows")?.[0] ?? 0);
  const end = Number(answer.columns.get("end")?.[0] ?? 0);
  return { rows, end: rows === 0 ? undefined : `first_received ${sign} ${timeSql(end)}` };
}

/** The page up to the time of its last row. */
async function byTime(
  engine: Engine,
  question: TurnQuestion,
  page: PageAsked,
): Promise<readonly TurnRecord[]> {
  const { by, ascending } = page.order;
  const [last, direction, sign] = ascending === true ? ["max", "ASC", "<="] : ["min", "DESC", ">="];
  const bind = bindings();
  const where = whereSql(question, page, bind);
  const wanted = page.limit + 1;
  const answer = await engine.query(
    `WITH (SELECT (${last}(at), count()) FROM (SELECT ${by} AS at FROM turn_ledger FINAL WHERE ${where}
  ORDER BY ${by} ${direction} LIMIT ${wanted})) AS reach
SELECT record, key, toFloat64(reach.2) AS reached FROM turn_ledger FINAL
WHERE ${by} ${sign} reach.1 AND ${where} ORDER BY ${orderOf(page.order)} LIMIT ${wanted}`,
    bind.parameters,
    question.signal,
  );
  const rows = rowsOf(answer);
  // A turn that was rewritten between the two reads may have left the page short.
  if (rows.length < Number(rows[0]?.["reached"] ?? 0)) return recordsOf(engine, question, page);
  return rows.map(recordOf);
}

async function recordsOf(
  engine: Engine,
  question: TurnQuestion,
  page: PageAsked,
  within = "true",
): Promise<readonly TurnRecord[]> {
  const bind = bindings();
  const where = whereSql(question, page, bind);
  const answer = await engine.query(
    `SELECT record, key FROM turn_ledger FINAL WHERE (${within}) AND ${where}
ORDER BY ${orderOf(page.order)} LIMIT ${page.limit + 1}`,
    bind.parameters,
    question.signal,
  );
  return rowsOf(answer).map(recordOf);
}

/** The record of a row; an older version of this build wrote it as a whole. */
function recordOf(row: FigureRow): TurnRecord {
  const text = String(row["record"]);
  if (text.startsWith("{")) return JSON.parse(text) as TurnRecord;
  return unpackRecord(text, String(row["key"]));
}

function whereSql(
  question: TurnQuestion,
  { order, after }: PageAsked,
  bind: ClickHouseBindings,
): string {
  const passes = `(${whereOf(question, bind)})`;
  return after === undefined ? passes : `${passes} AND (${afterOf(order, after, bind)})`;
}
