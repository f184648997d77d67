/** @module TurnWhere: conditions of a query as SQL over the table of turns. */
import { foldedAscii } from "../ledger/ascii-case.ts";
import { usageLetters, usageSql } from "../ledger/call-usage.ts";
import type { UsageField } from "../ledger/call-usage.ts";
import { requestedConditions } from "../ledger/requested-conditions.ts";
import { prefixRange } from "../ledger/text-prefix.ts";
import { microsOf, timeFields } from "../ledger/turn-fields.ts";
import type { ListField } from "../ledger/turn-fields.ts";
import type {
  CallValues,
  TurnCondition,
  TurnOrder,
  TurnPosition,
  TurnQuery,
} from "../ledger/turn-query.ts";
import type { ClickHouseBindings } from "./sql-text.ts";
import { columnOfList, columnOfSet, hasStoredSet } from "./turn-columns.ts";
import { orderValueSql } from "./turn-order-values.ts";

/** The condition for a turn. Never PREWHERE: with FINAL it counts old versions. */
export function whereOf(query: TurnQuery, bind: ClickHouseBindings): string {
  const own = requestedConditions(query).map((condition) => conditionSql(condition, bind));
  return own.length === 0 ? "true" : own.map((sql) => `(${sql})`).join(" AND ");
}

/** One condition; NULL where a comparison is of an unknown value. */
export function conditionSql(condition: TurnCondition, bind: ClickHouseBindings): string {
  const sql = plainSql(condition, bind);
  // A comparison with an unknown value is false, so its negation matches.
  return condition.not === true ? `NOT ifNull(${sql}, false)` : sql;
}

function plainSql(condition: TurnCondition, bind: ClickHouseBindings): string {
  if ("text" in condition) {
    return `${condition.text} = ${condition.is === null ? "''" : bind.text(condition.is)}`;
  }
  if ("part" in condition) {
    const has = (text: string): string =>
      `position(lower(${text}), ${bind.text(foldedAscii(condition.of))}) > 0`;
    return condition.part === "name"
      ? `arrayExists(one -> ${has("one")}, ${columnOfList("name")})`
      : has(condition.part);
  }
  if ("prefix" in condition) {
    const { from, to } = prefixRange(condition.of);
    const ends = `${condition.prefix} >= ${bind.text(from)} AND ${condition.prefix} < ${bind.text(to)}`;
    return `(${ends})`;
  }
  if ("list" in condition) return listSql(condition.list, condition.has, bind);
  if ("call" in condition) return callSql(condition.call, bind);
  if ("any" in condition) {
    if (condition.any.length === 0) return "false";
    const terms = condition.any.map((one) => `ifNull(${conditionSql(one, bind)}, false)`);
    return `(${terms.join(" OR ")})`;
  }
  if ("number" in condition) {
    return `${condition.number} ${condition.sign} ${numberSql(condition.value)}`;
  }
  const { time, from, to } = condition;
  const ends = [
    `isNotNull(${time})`,
    ...(from === undefined ? [] : [`${time} >= ${timeSql(microsOf(from))}`]),
    ...(to === undefined ? [] : [`${time} < ${timeSql(microsOf(to))}`]),
  ];
  return `(${ends.join(" AND ")})`;
}

/**
 * A list as one text is searched once for each different list, and not for each turn. A value that
 * has no character of the text's own is in it behind a bracket or a comma, and nowhere else.
 */
function listSql(field: ListField, value: string | null, bind: ClickHouseBindings): string {
  const column = columnOfList(field);
  if (value === null) return `empty(${column})`;
  const text = bind.text(value);
  if (!hasStoredSet(field) || !plainValue.test(value)) return `has(${column}, ${text})`;
  const [first, other] = ["[", ","].map((before) => `concat('${before}', toJSONString(${text}))`);
  return `multiSearchAny(${columnOfSet(field)}, [${first}, ${other}])`;
}

const plainValue = /^[^"\\,[\]\p{C}]+$/u;

function callSql({ kind, known, ...values }: CallValues, bind: ClickHouseBindings): string {
  const requested = Object.entries(values).filter(([, value]) => value !== undefined);
  const valueSql = (value: string | null): string => (value === null ? "''" : bind.text(value));
  const own = requested.map(([field, value]) => `one_${field} = ${valueSql(value)}`);
  if (known !== undefined) own.push(`${usageSql(oneOf, []).known} = ${valueSql(known)}`);
  const counts = known === undefined ? [] : usageLetters.map(([, field]) => field);
  const fields = ["kind", ...requested.map(([field]) => field), ...counts];
  const named = fields.map((field) => `one_${field}`).join(", ");
  const lists = fields.map((field) => `call_${field}`).join(", ");
  return `arrayExists((${named}) -> ${[`one_kind = '${kind}'`, ...own].join(" AND ")}, ${lists})`;
}

function oneOf(field: UsageField): string {
  return `one_${field}`;
}

/** A number as an engine literal. */
function numberSql(value: number): string {
  if (Number.isFinite(value)) return `toFloat64(${value})`;
  return value > 0 ? "inf" : "-inf";
}

/** A time as an engine literal. */
export function timeSql(micros: number): string {
  return `fromUnixTimestamp64Micro(toInt64(${micros}), 'UTC')`;
}

/** The rows after a place in an order; unknown values come last. */
export function afterOf(order: TurnOrder, place: TurnPosition, bind: ClickHouseBindings): string {
  const by = orderValueSql(order.by);
  const key = bind.text(place.key);
  if (place.value === null) return `isNull(${by}) AND key < ${key}`;
  const value = placeSql(order, place.value, bind);
  const beyond = order.ascending === true ? ">" : "<";
  return `isNull(${by}) OR ${by} ${beyond} ${value} OR (${by} = ${value} AND key < ${key})`;
}

function placeSql({ by }: TurnOrder, value: number | string, bind: ClickHouseBindings): string {
  if (typeof value === "string") return bind.text(value);
  return Object.hasOwn(timeFields, by) ? timeSql(value) : numberSql(value);
}

/** The order of a list. */
export function orderOf({ by, ascending }: TurnOrder): string {
  return `${orderValueSql(by)} ${ascending === true ? "ASC" : "DESC"} NULLS LAST, key DESC`;
}
