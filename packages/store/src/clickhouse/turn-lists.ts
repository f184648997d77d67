/**
 * @module TurnLists: pages of turns in ClickHouse. `FINAL` reads every row before it sorts, so a
 * page first looks at plain rows that pass, the newest by receipt, which is the order of the table
 * and the same for all versions of a turn. Where these are all that pass, only turns of their
 * receipts are read; where they fill a page by a time, none beyond the last of them. Sorted by
 * another time than receipt, the page's own last time is then found, without keys, which decide
 * between equal times and are read as slowly as all other columns together; an index leads to the
 * rows up to it.
 */
import { requestedConditions } from "../ledger/requested-conditions.ts";
import type { FigureRow } from "../ledger/figure-rows.ts";
import { unpackRecord } from "../ledger/packed-record.ts";
import { turnPositionOf } from "../ledger/turn-conditions.ts";
import { tenantText } from "../ledger/turn-fields.ts";
import type { TurnOrder, TurnPage, TurnPosition, TurnQuery } from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import type { ClickHouseBindings } from "./sql-text.ts";
import { rowsOf } from "./turn-figures.ts";
import { afterOf, orderOf, timeSql, whereOf } from "./turn-where.ts";

/** Parameters of a page. */
export interface PageRequest {
  readonly order: TurnOrder;
  readonly limit: number;
  readonly after?: TurnPosition;
}

/** A turn usually has two versions until its parts are merged. */
const rowsOfTurn = 3;
/** Factor by which the range is extended when rows of turns that no longer match filled it. */
const longer = 16;
/**
 * Turns that are read by their receipts: each costs a piece of every column, so many do not pay.
 */
const receiptsMax = 100;

/** Tenants that may have most of the turns. */
const commonTenants: ReadonlySet<string> = new Set([tenantText(null), tenantText(undefined)]);

/** A page of turns. */
export async function listOf(
  engine: Engine,
  query: TurnQuery,
  page: PageRequest,
): Promise<TurnPage> {
  const { order, limit } = page;
  const rows = await rowsOfPage(engine, query, page);
  const records = rows.slice(0, limit);
  const last = records.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { records, next: more ? turnPositionOf(last, order) : null };
}

/** Times with an index of ranges. */
const ranged: ReadonlySet<string> = new Set(["started_at", "ended_at", "own_time"]);

/** Fields with few turns per value, which an index finds. */
const indexed: ReadonlySet<string> = new Set(["tenant", "thread_id", "root_trace_id"]);

/** True where an index finds the turns: determining the range first would cost as much again. */
function isIndexed(query: TurnQuery): boolean {
  return requestedConditions(query).some(
    (condition) =>
      "text" in condition &&
      condition.not !== true &&
      indexed.has(condition.text) &&
      condition.is !== null &&
      !commonTenants.has(condition.is),
  );
}

async function rowsOfPage(
  engine: Engine,
  query: TurnQuery,
  page: PageRequest,
): Promise<readonly TurnRecord[]> {
  const { by } = page.order;
  if (isIndexed(query)) return recordsOf(engine, query, page);
  const wanted = page.limit + 1;
  const rowsFirst = wanted * rowsOfTurn;
  for (let reach = by === "first_received" ? rowsFirst : 2 * rowsFirst; ; reach *= longer) {
    const sample = await newestRows(engine, query, { ...page, reach });
    if (sample.rows === 0) return [];
    // No turn passes besides those of the sample.
    if (sample.rows < reach) return recordsOf(engine, query, page, sample.receipts);
    if (by !== "first_received" && !ranged.has(by)) return byValue(engine, query, page);
    const read = by === "first_received" || sample.near ? recordsOf : byTime;
    const records = await read(engine, query, page, sample.bound);
    if (records.length >= wanted) return records;
  }
}

/** Some rows that pass, of any version, the newest by receipt. */
interface Sample {
  readonly rows: number;
  /** A condition that enough of the rows meet to fill the page, and none that comes after it. */
  readonly bound: string;
  /** True where the bound leaves about as many turns as the sample has. */
  readonly near: boolean;
  /** A condition that all turns of the sample meet, and few others. */
  readonly receipts: string;
}

async function newestRows(
  engine: Engine,
  query: TurnQuery,
  page: PageRequest & { readonly reach: number },
): Promise<Sample> {
  const { reach, order } = page;
  const up = order.ascending === true;
  const by = order.by === "first_received" || ranged.has(order.by) ? order.by : "first_received";
  // Half of the rows are enough; a few that came late would move the bound far.
  const place = by === "first_received" ? reach : reach / 2;
  const bind = bindings();
  const answer = await engine.query(
    `SELECT toFloat64(length(times)) AS rows, times[least(${place}, length(times))] AS bound,
  if(length(times) < ${reach}, receipts, []) AS receipts, first, last
FROM (SELECT ${up ? "arraySort" : "arrayReverseSort"}(groupArray(${microsSql("at")})) AS times,
  groupUniqArray(${microsSql("received")}) AS receipts, ${microsSql("min(received)")} AS first,
  ${microsSql("max(received)")} AS last
FROM (SELECT ${by} AS at, first_received AS received FROM turn_ledger
  WHERE ${whereSql(query, page, bind)} AND gone = 0
  ORDER BY first_received ${up ? "ASC" : "DESC"} LIMIT ${reach}))`,
    bind.parameters,
    query.signal,
  );
  const [row] = rowsOf(answer);
  const figure = (name: string): number => Number(row?.[name] ?? 0);
  const [bound, first, last] = [figure("bound"), figure("first"), figure("last")];
  return {
    rows: figure("rows"),
    bound: `${by} ${up ? "<=" : ">="} ${timeSql(bound)}`,
    near: up ? bound <= last + (last - first) : bound >= first - (last - first),
    receipts: receiptsSql((row?.["receipts"] ?? []) as readonly number[], [first, last]),
  };
}

/**
 * Turns of these receipts: all versions of a turn have the same. As a list, and not as an array,
 * they are looked up in the primary key.
 */
function receiptsSql(
  receipts: readonly number[],
  [first, last]: readonly [number, number],
): string {
  const range = `first_received >= ${timeSql(first)} AND first_received <= ${timeSql(last)}`;
  if (receipts.length === 0 || receipts.length > receiptsMax) return range;
  const times = `CAST([${receipts.join(", ")}], 'Array(Int64)')`;
  return `first_received IN (SELECT fromUnixTimestamp64Micro(arrayJoin(${times}), 'UTC'))`;
}

function microsSql(time: string): string {
  return `toFloat64(toUnixTimestamp64Micro(${time}))`;
}

/** The page up to the time of its last row. */
async function byTime(
  engine: Engine,
  query: TurnQuery,
  page: PageRequest,
  within = "true",
): Promise<readonly TurnRecord[]> {
  const { by, ascending } = page.order;
  const [last, direction, sign] = ascending === true ? ["max", "ASC", "<="] : ["min", "DESC", ">="];
  const bind = bindings();
  const where = `(${within}) AND ${whereSql(query, page, bind)}`;
  const wanted = page.limit + 1;
  const answer = await engine.query(
    `WITH (SELECT (${last}(at), count()) FROM (SELECT ${by} AS at FROM turn_ledger FINAL WHERE ${where}
  ORDER BY ${by} ${direction} LIMIT ${wanted})) AS reach
SELECT record, key, toFloat64(reach.2) AS reached FROM turn_ledger FINAL
WHERE ${by} ${sign} reach.1 AND ${where} ORDER BY ${orderOf(page.order)} LIMIT ${wanted}`,
    bind.parameters,
    query.signal,
  );
  const rows = rowsOf(answer);
  // A turn that was rewritten between the two reads may have left the page short.
  if (rows.length < Number(rows[0]?.["reached"] ?? 0)) return recordsOf(engine, query, page);
  return rows.map(recordOf);
}

/**
 * The page by another value: first its keys, because records are read as slowly as all other
 * columns together, then the turns of its receipts.
 */
async function byValue(
  engine: Engine,
  query: TurnQuery,
  page: PageRequest,
): Promise<readonly TurnRecord[]> {
  if (page.limit >= receiptsMax) return recordsOf(engine, query, page);
  const bind = bindings();
  const answer = await engine.query(
    `SELECT key, ${microsSql("first_received")} AS received FROM turn_ledger FINAL
WHERE ${whereSql(query, page, bind)} ORDER BY ${orderOf(page.order)} LIMIT ${page.limit + 1}`,
    bind.parameters,
    query.signal,
  );
  const found = rowsOf(answer);
  if (found.length === 0) return [];
  const receipts = [...new Set(found.map(({ received }) => Number(received)))];
  const within = receiptsSql(receipts, [Math.min(...receipts), Math.max(...receipts)]);
  const records = await recordsOf(engine, query, page, within);
  // A turn that was rewritten between the two reads may have put another one in its place.
  const isSame =
    records.length === found.length && records.every(({ key }, nth) => key === found[nth]?.["key"]);
  return isSame ? records : recordsOf(engine, query, page);
}

async function recordsOf(
  engine: Engine,
  query: TurnQuery,
  page: PageRequest,
  within = "true",
): Promise<readonly TurnRecord[]> {
  const bind = bindings();
  const where = whereSql(query, page, bind);
  const answer = await engine.query(
    `SELECT record, key FROM turn_ledger FINAL WHERE (${within}) AND ${where}
ORDER BY ${orderOf(page.order)} LIMIT ${page.limit + 1}`,
    bind.parameters,
    query.signal,
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
  query: TurnQuery,
  { order, after }: PageRequest,
  bind: ClickHouseBindings,
): string {
  const passes = `(${whereOf(query, bind)})`;
  return after === undefined ? passes : `${passes} AND (${afterOf(order, after, bind)})`;
}
